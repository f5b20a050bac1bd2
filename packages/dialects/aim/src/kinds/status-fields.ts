import { k8s } from "@trivium/kube";
import { int64, listMap, obj, oneOf, opt, type SchemaOf, type Static, str } from "@trivium/schema";
import { scope } from "./vocabulary.ts";

/** The parts of status that every kind has in the same form. */
export type Conditions = Static<typeof k8s.Condition>[];

export const observedGeneration = (): SchemaOf<number> =>
  int64(
    "Generation of the spec that this status describes; if older than metadata.generation, the status is not up to date",
  );

export const conditions = (): SchemaOf<Conditions> =>
  listMap("Current conditions, each with its cause and a fix", ["type"], k8s.Condition);

export const state = <const V extends readonly string[]>(description: string, values: V): SchemaOf<V[number]> =>
  oneOf(description, values, { default: "Pending" });

/** Another object that a reference led to. */
const referenceFields = {
  name: opt(str("Name of the resolved object")),
  namespace: opt(str("Namespace of the object; empty for a cluster-scoped object")),
  scope: opt(scope("Whether the object is from the namespace, from the cluster, or merged from both")),
  kind: opt(str("Kind of the object")),
  uid: opt(str("UID of the object, to tell it from a later object of the same name")),
};
export const resolvedReference = (description: string) => obj(description, referenceFields);

export { referenceFields };
