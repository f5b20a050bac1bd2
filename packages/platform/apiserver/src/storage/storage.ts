import { type AnyObject, ApiError } from "@trivium/kube";
import { cloneJson, type Instant } from "@trivium/std";
import { bodyTooLarge } from "../refusals.ts";
import { isStoredForm, type LiveRegistry, storageGroupOf, storeName } from "../registry.ts";
import type { Resource } from "../resource.ts";
import type { Change, Store, Stored } from "../store/store.ts";
import { type SelectableFields, selectableFieldsOf } from "./selectable-fields.ts";
import { createSnapshots, type Snapshots } from "./snapshots.ts";

/** A change that is on the disk, told to those inside the server who act on it. */
export interface Committed {
  readonly op: "put" | "delete";
  /** `pods`, `aimservices.aim.silogen.ai` */
  readonly resource: string;
  /** As stored; not to be changed. */
  readonly object: AnyObject;
  readonly stored: Stored;
}

/** The store as the verbs see it: objects in, text out, and nobody else writes. */
export interface Storage {
  readonly store: Store;
  /** The highest revision given to a write, committed or not. Reads may see writes up to here. */
  readonly newest: number;
  get(resource: Resource, namespace: string, name: string): Stored | undefined;
  /** Writes the object when it is at revision `expect` (0: is not there), and sets its resourceVersion. */
  put(resource: Resource, object: AnyObject, expect: number): Promise<Stored>;
  remove(resource: Resource, object: AnyObject, expect: number): Promise<Stored>;
  onCommit(listener: (change: Committed) => void): void;
  readonly snapshots: Snapshots;
  /** The newest revision at which a resource changed, as far as this process knows. */
  lastChange(resource: string): number;
}

export interface StorageOptions {
  readonly store: Store;
  readonly registry: LiveRegistry;
  now(): Instant;
  log(message: string, error?: unknown): void;
}

export function createStorage({ store, registry, now, log }: StorageOptions): Storage {
  const snapshots = createSnapshots(now);
  const listeners: ((change: Committed) => void)[] = [];
  const changes = new Map<string, number>();
  const opened = store.revision;
  let given = 0;

  /** The write is on the disk: whatever fails here must not look to its writer as if it had failed. */
  const tell = (change: Committed): void => {
    for (const listener of listeners) {
      try {
        listener(change);
      } catch (error) {
        log(`${change.resource} was stored, but its follow-up work failed`, error);
      }
    }
  };

  const write = async (resource: Resource, op: Change["op"], object: AnyObject, expect: number): Promise<Stored> => {
    const key = keyOf(resource, object.metadata.namespace ?? "", object.metadata.name ?? "");
    const storedAs = atStorageVersion(registry, resource, object);
    snapshots.note(key, store.get(key));
    const stored = await store.write({
      key,
      op,
      expect,
      write: (revision) => {
        const resourceVersion = String(revision);
        object.metadata.resourceVersion = resourceVersion;
        storedAs.metadata.resourceVersion = resourceVersion;
        const text = serialize(storedAs);
        if (text.length > largestObject && op === "put") throw tooLarge(text.length);
        given = revision;
        changes.set(key.resource, revision);
        const { uid = "", labels, ownerReferences = [] } = object.metadata;
        const fields =
          storedAs === object && resource.origin !== "custom" ? selectableFieldsOf(resource, object) : undefined;
        return { text, uid, labels, fields, owners: ownerReferences.map((owner) => owner.uid) };
      },
    });
    tell({ op, resource: key.resource, object: storedAs, stored });
    return stored;
  };

  return {
    store,
    snapshots,
    lastChange: (resource) => changes.get(resource) ?? opened,
    get newest() {
      return Math.max(given, store.revision);
    },
    get: (resource, namespace, name) => store.get(keyOf(resource, namespace, name)),
    put: (resource, object, expect) => write(resource, "put", object, expect),
    remove: (resource, object, expect) => write(resource, "delete", object, expect),
    onCommit: (listener) => listeners.push(listener),
  };
}

/** Each list and each watcher carries whole objects, so one must not grow without end by small patches. */
const largestObject = 3 * 1024 * 1024;

const tooLarge = (size: number) =>
  bodyTooLarge(`Request entity too large: the object would take ${size} bytes, the limit is ${largestObject}`);

const keyOf = (resource: Resource, namespace: string, name: string) => ({
  resource: storeName(resource),
  namespace: resource.namespaced ? namespace : "",
  name,
});

const apiVersionAt = (group: string, version: string): string => (group === "" ? version : `${group}/${version}`);

/** What another form brought is stored as if the stored one had: under its name and with its defaults. */
function atStorageVersion(registry: LiveRegistry, resource: Resource, object: AnyObject): AnyObject {
  const stored = registry.storageOf(storeName(resource)) ?? resource;
  const apiVersion = apiVersionAt(storageGroupOf(resource), resource.storageVersion);
  if (object.apiVersion === apiVersion) return object;
  const copy: AnyObject = { ...cloneJson(object), apiVersion };
  resource.conversion?.toStored(copy);
  if (isStoredForm(stored)) stored.strategy.applyDefaults(copy);
  return copy;
}

/** JSON text with the head first: watches and lists of other versions rely on nothing else. */
export function serialize(object: AnyObject): string {
  const { apiVersion, kind, metadata, ...rest } = object;
  return JSON.stringify({ apiVersion, kind, metadata, ...rest });
}

/** The stored text as this resource shows it; the text itself wherever nothing has to change. */
export function textAt(resource: Resource, stored: Stored): string {
  if (!isStale(resource, stored)) return stored.text;
  return serialize(objectAt(resource, stored));
}

/** The stored object as this resource shows it. A new value each time, free to change. */
export function objectAt(resource: Resource, stored: Stored): AnyObject {
  const object = JSON.parse(stored.text) as AnyObject;
  if (!isStale(resource, stored)) return object;
  resource.conversion?.fromStored(object);
  object.apiVersion = apiVersionAt(resource.group, resource.version);
  resource.strategy.prune(object);
  try {
    resource.strategy.applyDefaults(object);
  } catch (error) {
    // A schema that came later may have more defaults than the object can hold: it can still be read, and deleted.
    if (!(error instanceof ApiError)) throw error;
  }
  return object;
}

/** What the object can be selected by: as noted when it was written, if this process did; a definition can select by other fields later. */
export function fieldsAt(resource: Resource, stored: Stored): SelectableFields {
  const known = isStale(resource, stored) ? undefined : stored.fields;
  return known ?? selectableFieldsOf(resource, objectAt(resource, stored)) ?? {};
}

/** Whether the object was written in another form or before the schema last changed. */
const isStale = (resource: Resource, stored: Stored): boolean =>
  !isStoredForm(resource) || stored.revision < (resource.schemaSince ?? 0);
