import type { Resource } from "../resource.ts";
import type { Group, GroupVersion } from "./groups.ts";
import { subresourcesOf } from "./subresources.ts";

export type AggregatedVersion = "v2" | "v2beta1";

/** All groups, versions and resources in one document: what kubectl asks for first. */
export function apiGroupDiscoveryList(groups: readonly Group[], version: AggregatedVersion): object {
  return {
    kind: "APIGroupDiscoveryList",
    apiVersion: `apidiscovery.k8s.io/${version}`,
    metadata: {},
    items: groups.map((group) => ({
      metadata: group.name === "" ? {} : { name: group.name },
      versions: group.versions.map(versionDiscovery),
    })),
  };
}

function versionDiscovery(of: GroupVersion): object {
  return { version: of.version, resources: of.resources.map(resourceDiscovery), freshness: "Current" };
}

function resourceDiscovery(resource: Resource): object {
  const { plural, singular, namespaced, kind, verbs, shortNames, categories } = resource;
  // Real servers name group and version of the kinds of CRDs and leave them empty for their own.
  const own =
    resource.origin === "custom" ? { group: resource.group, version: resource.version } : { group: "", version: "" };
  const subresources = subresourcesOf(resource).map((subresource) => ({
    subresource: subresource.name,
    responseKind: {
      group: subresource.group ?? own.group,
      version: subresource.version ?? own.version,
      kind: subresource.kind,
    },
    verbs: subresource.verbs,
  }));
  return {
    resource: plural,
    responseKind: { ...own, kind },
    scope: namespaced ? "Namespaced" : "Cluster",
    singularResource: singular,
    verbs,
    ...(shortNames.length > 0 ? { shortNames } : {}),
    ...(categories.length > 0 ? { categories } : {}),
    ...(subresources.length > 0 ? { subresources } : {}),
  };
}
