export { sharedAddress } from "./addresses.ts";
export { portsAnnotation } from "./announce-ports.ts";
export { createRooms, type LocalRooms } from "./create-rooms.ts";
export type { RoomsOptions } from "./rooms-options.ts";
