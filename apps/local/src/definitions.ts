import { aim, aimEai } from "@trivium/aim";
import type { ServingDialect } from "@trivium/domain";
import { type CustomResourceDefinition, emitCrd, gatewayApiCrds } from "@trivium/kube";
import { llmkube } from "@trivium/llmkube";
import { ome } from "@trivium/ome";
import type { Dialect } from "@trivium/reconcile";
import { defaultDialectNames, dialectNames } from "./dialect-names.ts";

const byName = { aim, "aim-eai": aimEai, ome, llmkube };

/** Every upstream API that is supported. */
export const dialects: readonly ServingDialect[] = dialectNames.map((name) => byName[name]);

/** The dialects of these names; those that are usual where none are named. */
export const dialectsOf = (names: readonly string[] = defaultDialectNames): readonly Dialect[] =>
  dialects.filter(({ name }) => names.includes(name));

/** The CRDs of dialects, as a person would apply them to a cluster. */
export function dialectDefinitions(names?: readonly string[]): CustomResourceDefinition[] {
  return dialectsOf(names).flatMap((dialect) => dialect.kinds.map(emitCrd));
}

/** The CRDs that the embedded server has from the start: ours, and the routes of the Gateway API. */
export async function embeddedDefinitions(names?: readonly string[]): Promise<CustomResourceDefinition[]> {
  return [...dialectDefinitions(names), ...(await gatewayApiCrds())];
}
