import { aim } from "@trivium/aim";
import type { ServingDialect } from "@trivium/domain";
import { type CustomResourceDefinition, emitCrd, gatewayApiCrds } from "@trivium/kube";
import { llmkube } from "@trivium/llmkube";
import { ome } from "@trivium/ome";
import { type Dialect, parseDialectNames } from "@trivium/reconcile";

/** Every upstream API we speak. */
export const dialects: readonly ServingDialect[] = [aim, ome, llmkube];

export const dialectNames: readonly string[] = dialects.map(({ name }) => name);

/** Names of dialects out of `aim,ome`, or a sentence about what is wrong with it. */
export const parseDialects = (text: string): readonly string[] | string => parseDialectNames(text, dialectNames);

/** The dialects of these names; all where none are named. */
export const dialectsOf = (names: readonly string[] = dialectNames): readonly Dialect[] =>
  dialects.filter(({ name }) => names.includes(name));

/** The CRDs of dialects, as a person would apply them to a cluster. */
export function dialectDefinitions(names?: readonly string[]): CustomResourceDefinition[] {
  return dialectsOf(names).flatMap((dialect) => dialect.kinds.map(emitCrd));
}

/** The CRDs that the embedded server has from the start: ours, and the routes of the Gateway API. */
export async function embeddedDefinitions(names?: readonly string[]): Promise<CustomResourceDefinition[]> {
  return [...dialectDefinitions(names), ...(await gatewayApiCrds())];
}
