import { aim } from "@trivium/aim";
import { type CustomResourceDefinition, emitCrd, gatewayApiCrds } from "@trivium/kube";
import { llmkube } from "@trivium/llmkube";
import { ome } from "@trivium/ome";
import type { Dialect } from "@trivium/reconcile";

/** Every upstream API we speak. */
export const dialects: readonly Dialect[] = [aim, ome, llmkube];

/** The CRDs of all dialects, as a person would apply them to a cluster. */
export function dialectDefinitions(): CustomResourceDefinition[] {
  return dialects.flatMap((dialect) => dialect.kinds.map(emitCrd));
}

/** The CRDs that the embedded server has from the start: ours, and the routes of the Gateway API. */
export async function embeddedDefinitions(): Promise<CustomResourceDefinition[]> {
  return [...dialectDefinitions(), ...(await gatewayApiCrds())];
}
