import { startTokenParameter } from "./contract.ts";

/** The address that a person opens. A fragment stays in the browser: it is in no request, no log and no Referer. */
export const startAddress = (port: number, token: string): string =>
  `http://127.0.0.1:${port}/#${startTokenParameter}=${token}`;
