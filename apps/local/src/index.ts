export { backgroundLog, findRunning, freePorts, startInBackground, stopRunning } from "./background.ts";
export { parseFolder } from "./configuration.ts";
export { type ControlPlane, startControlPlane } from "./control-plane.ts";
export { dialectDefinitions, dialectNames, dialects, parseDialects } from "./definitions.ts";
export { dialectsBehind } from "./dialect-options.ts";
export type { RunRecord } from "./home.ts";
export { defaultGatewayPort, defaultHome, defaultPort, parsePort, type UpOptions } from "./options.ts";
export { ownPrograms } from "./programs.ts";
export { up } from "./up.ts";
