import type { KubeObject, ManagedFields } from "@trivium/kube";
import { isObject, type JsonObject } from "@trivium/std";

/** More distinct sets than this means that they do not repeat, and keeping them would only cost. */
const maxSets = 2_000;

/**
 * Remembers which fields our own reconcilers have applied, while `managedFields` themselves are dropped from memory.
 * Objects of one shape have the same field sets, so each distinct set is kept once however many objects share it.
 */
export class FieldRecord {
  readonly #managers: ReadonlySet<string>;
  readonly #sets = new Map<string, JsonObject>();
  readonly #entries = new WeakMap<KubeObject, Map<string, JsonObject>>();

  constructor(managers: Iterable<string>) {
    this.#managers = new Set(managers);
  }

  /** Notes what is ours and strips `managedFields` from the object, in place. */
  take(object: KubeObject): void {
    const managed = object.metadata.managedFields;
    if (managed === undefined) return;
    delete object.metadata.managedFields;
    for (const entry of managed) {
      if (entry.operation !== "Apply" || entry.manager === undefined || !this.#managers.has(entry.manager)) continue;
      const entries = this.#entries.get(object) ?? new Map<string, JsonObject>();
      this.#entries.set(object, entries);
      entries.set(slot(entry.manager, entry.subresource), this.#intern(entry));
    }
  }

  /** The fields of an object that a manager has applied; nothing when it never applied any. */
  fieldsOf(object: KubeObject, manager: string, subresource?: string): JsonObject | undefined {
    return this.#entries.get(object)?.get(slot(manager, subresource));
  }

  #intern(entry: ManagedFields): JsonObject {
    const fields = withoutOwners(entry.fieldsV1 ?? {});
    const text = JSON.stringify(fields);
    const known = this.#sets.get(text);
    if (known !== undefined) return known;
    if (this.#sets.size >= maxSets) this.#sets.clear();
    this.#sets.set(text, fields);
    return fields;
  }
}

const slot = (manager: string, subresource: string | undefined): string => `${manager} ${subresource ?? ""}`;

/** Owner references are told apart by uid: with them no two sets would be equal. We always want our own anyway. */
function withoutOwners(fields: JsonObject): JsonObject {
  const metadata = fields["f:metadata"];
  if (!isObject(metadata) || metadata["f:ownerReferences"] === undefined) return fields;
  const { "f:ownerReferences": _, ...rest } = metadata;
  return { ...fields, "f:metadata": rest };
}
