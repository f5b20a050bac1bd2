import { type ApiRequest, type ApiResponse, type CallOptions, isReason, type ServedResource } from "@trivium/kube";
import { textOf } from "./text.ts";

type Read = <T>(path: string, accept: string) => Promise<T>;

const aggregated =
  "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList," +
  "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json";

/** Keeps what the server has sent: the documents are large, and a server that has no news answers 304. */
export function createDiscovery(
  send: (request: ApiRequest) => Promise<ApiResponse>,
): (options?: CallOptions) => Promise<readonly ServedResource[]> {
  const known = new Map<string, { readonly etag: string; readonly document: unknown }>();
  const read = async <T>(path: string, accept: string, signal: AbortSignal | undefined): Promise<T> => {
    const last = known.get(path);
    const headers = last === undefined ? { accept } : { accept, "if-none-match": last.etag };
    const response = await send({ method: "GET", path, headers, signal });
    if (response.status === 304 && last !== undefined) return last.document as T;
    const document = JSON.parse(await textOf(response)) as T;
    const { etag } = response.headers;
    if (typeof etag === "string") known.set(path, { etag, document });
    return document;
  };
  return ({ signal } = {}) => discoverResources((path, accept) => read(path, accept, signal));
}

/** What the server serves: two calls where it knows aggregated discovery, one call a group version where it does not. */
async function discoverResources(read: Read): Promise<readonly ServedResource[]> {
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
