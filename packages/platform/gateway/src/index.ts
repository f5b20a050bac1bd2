export { annotations } from "./annotations.ts";
export { readKeys } from "./auth/read-keys.ts";
export { type GatewayOptions, type RunningGateway, startGateway } from "./gateway.ts";
export { defaultLimits, type Limits } from "./limits.ts";
export { runProgram, warningOf } from "./program.ts";
export { gatewayReconcilers, type StatusOptions } from "./status/index.ts";
export { localGatewayObjects } from "./status/local-objects.ts";
export { className, controllerName, gatewayRef } from "./status/names.ts";
