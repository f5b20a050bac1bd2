import { createHash } from "node:crypto";
import type { Resource } from "../resource.ts";
import { type Group, type GroupVersion, groupVersionOf } from "./groups.ts";
import { subresourcesOf } from "./subresources.ts";

/** Discovery before it was aggregated: one document for the groups, one for each group version. */

/** `/api`; `address` is where the client reached us. */
export function apiVersions(address: string): object {
  return {
    kind: "APIVersions",
    versions: ["v1"],
    serverAddressByClientCIDRs: [{ clientCIDR: "0.0.0.0/0", serverAddress: address }],
  };
}

/** `/apis`. */
export function apiGroupList(groups: readonly Group[]): object {
  return {
    kind: "APIGroupList",
    apiVersion: "v1",
    groups: groups.filter((group) => group.name !== "").map(apiGroupBody),
  };
}

/** `/apis/<group>`. */
export function apiGroup(group: Group): object {
  return { kind: "APIGroup", apiVersion: "v1", ...apiGroupBody(group) };
}

function apiGroupBody(group: Group): object {
  const versions = group.versions.map((of) => ({ groupVersion: groupVersionOf(of), version: of.version }));
  return { name: group.name, versions, preferredVersion: versions[0] };
}

/** `/api/v1` and `/apis/<group>/<version>`. */
export function apiResourceList(of: GroupVersion): object {
  return {
    kind: "APIResourceList",
    // Real servers leave `apiVersion` out for the core group only.
    ...(of.group === "" ? {} : { apiVersion: "v1" }),
    groupVersion: groupVersionOf(of),
    resources: of.resources.flatMap(apiResources),
  };
}

function apiResources(resource: Resource): object[] {
  const { plural, singular, namespaced, kind, verbs, shortNames, categories } = resource;
  const main = {
    name: plural,
    singularName: singular,
    namespaced,
    kind,
    verbs,
    ...(shortNames.length > 0 ? { shortNames } : {}),
    ...(categories.length > 0 ? { categories } : {}),
    ...(verbs.includes("list") ? { storageVersionHash: storageVersionHash(resource) } : {}),
  };
  const subresources = subresourcesOf(resource).map(({ name, group, version, kind, verbs }) => ({
    name: `${plural}/${name}`,
    singularName: "",
    namespaced,
    ...(group === undefined ? {} : { group, version }),
    kind,
    verbs,
  }));
  return [main, ...subresources];
}

/** Changes when objects begin to be stored in another form; clients only compare it. */
function storageVersionHash({ group, storageGroup = group, storageVersion, kind }: Resource): string {
  return createHash("sha256")
    .update(`${storageGroup}/${storageVersion}/${kind}`)
    .digest()
    .subarray(0, 8)
    .toString("base64");
}
