/** What JSON can say. Objects of the API are plain JSON; nothing else crosses a storey. */
export type Json = null | boolean | number | string | Json[] | JsonObject;
export interface JsonObject {
  [key: string]: Json;
}
