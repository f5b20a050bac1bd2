import type { Resource } from "../resource.ts";

/** A subresource as discovery tells of it; `group` and `version` are there when its kind is of another group. */
export interface ServedSubresource {
  readonly name: string;
  readonly kind: string;
  readonly group?: string;
  readonly version?: string;
  readonly verbs: readonly string[];
}

const readWrite = ["get", "patch", "update"];

/** Kinds that subresources borrow from another group. */
const foreignKinds: Readonly<Record<string, { group: string; version: string }>> = {
  Scale: { group: "autoscaling", version: "v1" },
  Eviction: { group: "policy", version: "v1" },
  TokenRequest: { group: "authentication.k8s.io", version: "v1" },
};

/** The subresources of a resource in the order a real server lists them: by name, or status before scale for a CRD. */
export function subresourcesOf(resource: Resource): ServedSubresource[] {
  const { status, scale, others } = resource.subresources;
  const served = [
    ...(status ? [{ name: "status", kind: resource.kind, verbs: readWrite }] : []),
    ...(scale !== undefined ? [{ name: "scale", kind: "Scale", verbs: readWrite }] : []),
    ...others,
  ].map((subresource) => ({ ...subresource, ...foreignKinds[subresource.kind] }));
  if (resource.origin === "built-in") served.sort((a, b) => (a.name < b.name ? -1 : 1));
  return served;
}
