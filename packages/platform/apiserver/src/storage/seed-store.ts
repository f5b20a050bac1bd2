import { type AnyObject, groupResourceOf, type Kind } from "@trivium/kube";
import { createRegistry } from "../registry.ts";
import type { Resource } from "../resource.ts";
import type { Store } from "../store/store.ts";
import { createStorage, serialize } from "./storage.ts";

/** An object of another server, with its kind. */
export interface SeedObject {
  readonly kind: Kind;
  readonly object: AnyObject;
}

/**
 * Stores objects of another server unchanged, with their uids, managers and statuses, before an API is created on the store. Nothing is
 * validated: that server did. An owner that is not among them is left out of the references, so that nothing is collected as garbage.
 */
export async function seedStore(
  store: Store,
  resources: readonly Resource[],
  objects: readonly SeedObject[],
): Promise<void> {
  const registry = createRegistry(resources);
  const storage = createStorage({ store, registry, now: () => 0, log: () => undefined });
  const uids = new Set(objects.map(({ object }) => object.metadata.uid));
  for (const { kind, object: whole } of objects) {
    const object = withKnownOwners(whole, uids);
    const resource = registry.find(kind.group, kind.version, kind.plural);
    if (resource === undefined) await putPlainly(store, kind, object);
    else await storage.put(resource, object, 0);
  }
}

function withKnownOwners(object: AnyObject, uids: ReadonlySet<string | undefined>): AnyObject {
  const { ownerReferences, ...metadata } = object.metadata;
  const known = (ownerReferences ?? []).filter(({ uid }) => uids.has(uid));
  return { ...object, metadata: known.length === 0 ? metadata : { ...metadata, ownerReferences: known } };
}

/** Of a kind that a CRD defines, which is stored in the version that it has here. */
async function putPlainly(store: Store, kind: Kind, object: AnyObject): Promise<void> {
  const { uid = "", labels, ownerReferences = [], namespace = "", name = "" } = object.metadata;
  const key = { resource: groupResourceOf(kind), namespace: kind.namespaced ? namespace : "", name };
  await store.write({
    key,
    op: "put",
    expect: 0,
    write: (revision) => {
      const metadata = { ...object.metadata, resourceVersion: String(revision) };
      const text = serialize({ ...object, metadata });
      return { text, uid, labels, owners: ownerReferences.map((owner) => owner.uid) };
    },
  });
}
