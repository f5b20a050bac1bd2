import { qualify } from "./refusals.ts";
import type { Resource } from "./resource.ts";

/** All resources served right now. CRDs come and go while the server runs. */
export interface Registry {
  /** Every served resource at every version, in a stable order. */
  all(): readonly Resource[];
  find(group: string, version: string, plural: string): Resource | undefined;
  /** Rises with every change, so that documents made from the registry can be kept until then. */
  readonly revision: number;
}

/** The registry as the server itself holds it. */
export interface LiveRegistry extends Registry {
  /** The resource that stores objects of a kind, whatever the version; for owner references. */
  findKind(group: string, kind: string): Resource | undefined;
  /** Replaces all versions of `<plural>.<group>`; an empty list removes it. */
  replace(groupResource: string, versions: readonly Resource[]): void;
  /** Some served version of `<plural>.<group>`, the storage version where it is served. */
  storageOf(groupResource: string): Resource | undefined;
}

export const storageGroupOf = (resource: Resource): string => resource.storageGroup ?? resource.group;

/** `aimservices.aim.silogen.ai`: the name under which the store keeps a resource. */
export const storeName = (resource: Resource): string => qualify(resource.plural, storageGroupOf(resource));

/** Whether objects are stored in the very form that this resource shows. */
export const isStoredForm = (resource: Resource): boolean =>
  resource.version === resource.storageVersion && resource.group === storageGroupOf(resource);

export function createRegistry(fixed: readonly Resource[]): LiveRegistry {
  const byResource = new Map<string, readonly Resource[]>();
  for (const resource of fixed) {
    const key = storeName(resource);
    byResource.set(key, [...(byResource.get(key) ?? []), resource]);
  }
  let revision = 1;
  let all: readonly Resource[] = [];
  const byPath = new Map<string, Resource>();
  const byKind = new Map<string, Resource>();
  const index = (): void => {
    all = [...byResource.values()].flat();
    byPath.clear();
    byKind.clear();
    for (const resource of all) {
      byPath.set(`${resource.group}/${resource.version}/${resource.plural}`, resource);
      const kind = `${resource.group}/${resource.kind}`;
      if (!byKind.has(kind) || isStoredForm(resource)) byKind.set(kind, resource);
    }
  };
  index();
  return {
    all: () => all,
    find: (group, version, plural) => byPath.get(`${group}/${version}/${plural}`),
    findKind: (group, kind) => byKind.get(`${group}/${kind}`),
    storageOf: (groupResource) => {
      const versions = byResource.get(groupResource);
      return versions?.find(isStoredForm) ?? versions?.[0];
    },
    replace: (groupResource, versions) => {
      if (versions.length > 0) byResource.set(groupResource, versions);
      else byResource.delete(groupResource);
      revision++;
      index();
    },
    get revision() {
      return revision;
    },
  };
}
