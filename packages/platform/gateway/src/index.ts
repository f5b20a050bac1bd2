export { readKeys } from "./auth/read-keys.ts";
export { type GatewayOptions, type RunningGateway, startGateway } from "./gateway.ts";
export { gatewayReconcilers } from "./status/index.ts";
export { localGatewayObjects } from "./status/local-objects.ts";
export { className, gatewayRef } from "./status/names.ts";
