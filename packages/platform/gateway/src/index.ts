export { readKeys } from "./auth/read-keys.ts";
export { gatewayReconcilers } from "./status/index.ts";
export { localGatewayObjects } from "./status/local-objects.ts";
export { gatewayRef } from "./status/names.ts";
