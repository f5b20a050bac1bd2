import { k8s } from "@trivium/kube";
import { int64, listMap, obj, oneOf, opt, type SchemaOf, type Static, str } from "@trivium/schema";
import { scope } from "./vocabulary.ts";

/** The parts of status that every kind has in the same form. */
export type Conditions = Static<typeof k8s.Condition>[];

export const observedGeneration = (): SchemaOf<number> =>
  int64("Generation of the spec that this status describes; older than metadata.generation means it is not up to date");

export const conditions = (): SchemaOf<Conditions> =>
  listMap("What was found, one entry for each aspect; each says why and what to do", ["type"], k8s.Condition);

export const state = <const V extends readonly string[]>(description: string, values: V): SchemaOf<V[number]> =>
  oneOf(description, values, { default: "Pending" });

/** Another object that a reference led to. */
const referenceFields = {
  name: opt(str("Name of the object that was found")),
  namespace: opt(str("Its namespace; empty for a cluster-scoped object")),
  scope: opt(scope("Whether it was found in the namespace, cluster-wide, or merged from both")),
  kind: opt(str("Its kind")),
  uid: opt(str("Its uid, so that a namesake made later is not taken for it")),
};
export const resolvedReference = (description: string) => obj(description, referenceFields);

export { referenceFields };
