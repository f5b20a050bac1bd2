/** The controller of the Gateway API that Trivium's gateway is: where a GatewayClass of it is accepted, requests are counted. */
export const gatewayController = "trivium.dev/gateway";
