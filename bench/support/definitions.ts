import { aim } from "@trivium/aim";
import { type CustomResourceDefinition, emitCrd, gatewayApiCrds } from "@trivium/kube";
import { llmkube } from "@trivium/llmkube";
import { ome } from "@trivium/ome";

/** The CRDs that the embedded server has from the start. */
export async function allDefinitions(): Promise<CustomResourceDefinition[]> {
  const ours = [aim, ome, llmkube].flatMap((dialect) => dialect.kinds.map(emitCrd));
  return [...ours, ...(await gatewayApiCrds())];
}
