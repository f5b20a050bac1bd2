import type { KubeObject, ManagedFields } from "@trivium/kube";
import { isObject, type JsonObject } from "@trivium/std";

/** More distinct sets than this means that they do not repeat, and keeping them would only cost. */
const maxSets = 2_000;

/** What one manager has applied. */
interface Applied {
  readonly slot: string;
  readonly fields: JsonObject;
}

/**
 * Remembers which fields our own reconcilers have applied, while `managedFields` themselves are dropped from memory.
 * Objects of one shape have the same field sets, so each distinct list of them is kept once however many objects share it.
 */
export class FieldRecord {
  readonly #managers: ReadonlySet<string>;
  readonly #upstream: ReadonlySet<string>;
  readonly #sets = new Map<string, readonly Applied[]>();
  readonly #entries = new WeakMap<KubeObject, readonly Applied[]>();
  readonly #makers = new WeakMap<KubeObject, string>();
  readonly #reporters = new WeakMap<KubeObject, string>();

  constructor(managers: Iterable<string>, upstream: Iterable<string> = []) {
    this.#managers = new Set(managers);
    this.#upstream = new Set(upstream);
  }

  /** Notes what is ours and strips `managedFields` from the object, in place. */
  take(object: KubeObject): void {
    const managed = object.metadata.managedFields;
    if (managed === undefined) return;
    // An object that loses a property by `delete` becomes a table of its own, several times as large.
    const { managedFields: _, ...metadata } = object.metadata;
    object.metadata = metadata;
    const ours = managed.filter(({ manager = "", operation }) => operation === "Apply" && this.#managers.has(manager));
    if (ours.length > 0) this.#entries.set(object, this.#intern(ours));
    this.#noteOthers(object, managed);
  }

  #noteOthers(object: KubeObject, managed: readonly ManagedFields[]): void {
    const others = managed.filter(({ manager = "" }) => !this.#managers.has(manager));
    const isUpstreams = ({ manager = "", fieldsV1 = {} }: ManagedFields): boolean =>
      this.#upstream.has(manager) && fieldsV1["f:spec"] !== undefined;
    const maker = others.find((entry) => hasMade(entry) || isUpstreams(entry))?.manager;
    if (maker !== undefined) this.#makers.set(object, maker);
    const isNew = others.length === managed.length;
    const reporters = others.filter(({ manager = "", subresource }) =>
      subresource === "status" ? isNew || this.#upstream.has(manager) : false,
    );
    const reporter = reporters[0]?.manager;
    if (reporter !== undefined) this.#reporters.set(object, reporter);
  }

  /** Which other operator has given the object its owner, or has written its spec. */
  makerOf(object: KubeObject): string | undefined {
    return this.#makers.get(object);
  }

  /** Which other operator has written the status. */
  reporterOf(object: KubeObject): string | undefined {
    return this.#reporters.get(object);
  }

  /** The fields of an object that a manager has applied; nothing when it never applied any. */
  fieldsOf(object: KubeObject, manager: string, subresource?: string): JsonObject | undefined {
    const wanted = slot(manager, subresource);
    return this.#entries.get(object)?.findLast((one) => one.slot === wanted)?.fields;
  }

  #intern(entries: readonly ManagedFields[]): readonly Applied[] {
    const applied = entries.map(({ manager = "", subresource, fieldsV1 = {} }) => ({
      slot: slot(manager, subresource),
      fields: withoutOwners(fieldsV1),
    }));
    const text = JSON.stringify(applied);
    const known = this.#sets.get(text);
    if (known !== undefined) return known;
    if (this.#sets.size >= maxSets) this.#sets.clear();
    this.#sets.set(text, applied);
    return applied;
  }
}

/** Whether an entry of `managedFields` gave the object an owner: nobody but the one who makes an object for another does that. */
export function hasMade({ fieldsV1, subresource }: ManagedFields): boolean {
  const metadata = fieldsV1?.["f:metadata"];
  return subresource === undefined && isObject(metadata) && metadata["f:ownerReferences"] !== undefined;
}

const slot = (manager: string, subresource: string | undefined): string => `${manager} ${subresource ?? ""}`;

/** Owner references are told apart by uid: with them no two sets would be equal. We always want our own anyway. */
function withoutOwners(fields: JsonObject): JsonObject {
  const metadata = fields["f:metadata"];
  if (!isObject(metadata) || metadata["f:ownerReferences"] === undefined) return fields;
  const { "f:ownerReferences": _, ...rest } = metadata;
  return { ...fields, "f:metadata": rest };
}
