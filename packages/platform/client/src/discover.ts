import { isReason, type ServedResource } from "@trivium/kube";

type Read = <T>(path: string, accept: string) => Promise<T>;

const aggregated =
  "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList," +
  "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json";

/** What the server serves: two calls where it knows aggregated discovery, one call a group version where it does not. */
export async function discoverResources(read: Read): Promise<readonly ServedResource[]> {
  const [core, groups] = await Promise.all([
    read<GroupDiscoveryList | LegacyVersions>("/api", aggregated),
    read<GroupDiscoveryList | LegacyGroups>("/apis", aggregated),
  ]);
  const found = await Promise.all([
    isAggregated(core)
      ? fromAggregated(core)
      : fromLegacy(
          read,
          core.versions.map((version) => `/api/${version}`),
        ),
    isAggregated(groups)
      ? fromAggregated(groups)
      : fromLegacy(
          read,
          groups.groups.flatMap((group) => group.versions.map((v) => `/apis/${v.groupVersion}`)),
        ),
  ]);
  return found.flat();
}

function isAggregated(document: object): document is GroupDiscoveryList {
  return (document as { kind?: string }).kind === "APIGroupDiscoveryList";
}

function fromAggregated(list: GroupDiscoveryList): ServedResource[] {
  return (list.items ?? []).flatMap((group) =>
    group.versions.flatMap((version) =>
      (version.resources ?? []).map((resource) => ({
        group: group.metadata?.name ?? "",
        version: version.version,
        kind: resource.responseKind?.kind ?? "",
        plural: resource.resource,
        singular: resource.singularResource ?? "",
        shortNames: resource.shortNames ?? [],
        categories: resource.categories ?? [],
        namespaced: resource.scope === "Namespaced",
        verbs: resource.verbs ?? [],
        subresources: (resource.subresources ?? []).map((sub) => sub.subresource),
      })),
    ),
  );
}

async function fromLegacy(read: Read, paths: readonly string[]): Promise<ServedResource[]> {
  const lists = await Promise.all(
    paths.map((path) =>
      read<LegacyResources>(path, "application/json").catch((error: unknown) => {
        // An aggregated API that is down or gone hides itself, not the rest of the server.
        if (isReason(error, "NotFound", "ServiceUnavailable")) return { groupVersion: "", resources: [] };
        throw error;
      }),
    ),
  );
  return lists.flatMap(resourcesOf);
}

function resourcesOf(list: LegacyResources): ServedResource[] {
  const [group, version] = list.groupVersion.includes("/") ? list.groupVersion.split("/") : ["", list.groupVersion];
  const subresources = Map.groupBy(
    list.resources.filter((resource) => resource.name.includes("/")),
    (resource) => resource.name.split("/")[0] ?? "",
  );
  return list.resources
    .filter((resource) => !resource.name.includes("/"))
    .map((resource) => ({
      group: group ?? "",
      version: version ?? "",
      kind: resource.kind,
      plural: resource.name,
      singular: resource.singularName ?? "",
      shortNames: resource.shortNames ?? [],
      categories: resource.categories ?? [],
      namespaced: resource.namespaced,
      verbs: resource.verbs ?? [],
      subresources: (subresources.get(resource.name) ?? []).map((sub) => sub.name.slice(resource.name.length + 1)),
    }));
}

interface GroupDiscoveryList {
  kind: "APIGroupDiscoveryList";
  items?: { metadata?: { name?: string }; versions: { version: string; resources?: ResourceDiscovery[] }[] }[];
}
interface ResourceDiscovery {
  resource: string;
  responseKind?: { kind: string };
  scope: string;
  singularResource?: string;
  shortNames?: string[];
  categories?: string[];
  verbs?: string[];
  subresources?: { subresource: string }[];
}
interface LegacyVersions {
  versions: string[];
}
interface LegacyGroups {
  groups: { versions: { groupVersion: string }[] }[];
}
interface LegacyResources {
  groupVersion: string;
  resources: {
    name: string;
    kind: string;
    singularName?: string;
    namespaced: boolean;
    shortNames?: string[];
    categories?: string[];
    verbs?: string[];
  }[];
}
