/** The controller of the Gateway API that we are. GatewayClasses name it. */
export { gatewayController as controllerName } from "@trivium/domain";

/** The class and the Gateway that a machine of its own has from the start. */
export const className = "trivium";
export const gatewayRef = { namespace: "trivium-system", name: "trivium" } as const;
