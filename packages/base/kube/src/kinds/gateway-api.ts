import type { CustomResourceDefinition } from "../define.ts";

export { Gateway, GatewayClass, HTTPRoute, InferencePool, ReferenceGrant } from "../generated/third-party.ts";

/** The CRDs of the Gateway API and its InferencePool, loaded when they are first needed. */
export async function gatewayApiCrds(): Promise<CustomResourceDefinition[]> {
  const module = await import("../generated/gateway-api-crds.json", { with: { type: "json" } });
  return module.default as unknown as CustomResourceDefinition[];
}
