/** What a write is addressed to. */
export interface WriteTarget {
  readonly group: string;
  readonly kind: string;
  readonly origin: "built-in" | "custom";
  readonly hasStatus: boolean;
  readonly subresource?: string | undefined;
}

/** Built-in kinds whose status writes leave more alone than the spec. */
const alsoReset: Readonly<Record<string, readonly string[]>> = {
  "apiextensions.k8s.io/CustomResourceDefinition": ["metadata"],
  "apps/Deployment": ["metadata.labels"],
  "/Pod": ["metadata.deletionTimestamp", "metadata.ownerReferences"],
};

/** The fields that a write cannot change, whatever it says, and whose owners it does not touch. */
export function resetFieldsOf({ group, kind, origin, hasStatus, subresource }: WriteTarget): readonly string[] {
  if (!hasStatus) return [];
  if (subresource !== "status") return ["status"];
  if (origin === "custom") return ["metadata", "spec"];
  return ["spec", ...(alsoReset[`${group}/${kind}`] ?? [])];
}
