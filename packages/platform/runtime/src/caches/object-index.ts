import type { KubeObject } from "@trivium/kube";
import type { Where } from "@trivium/reconcile";
import { SmallSets } from "./small-sets.ts";
import { type Asked, anchor, anchorOf, anchorsOf } from "./where.ts";

/** Finds the objects of a cache by owner, namespace, label or field. Keeps a place only for what a reconciler has listed by. */
export class ObjectIndex {
  readonly #objects: ReadonlyMap<string, KubeObject>;
  readonly #sets = new SmallSets();
  readonly #labels = new Set<string>();
  readonly #fields = new Set<string>();
  #asked: Asked = { labels: this.#labels, fields: this.#fields, hasNamespaces: false, hasOwners: false };

  constructor(objects: ReadonlyMap<string, KubeObject>) {
    this.#objects = objects;
  }

  change(key: string, old: KubeObject | undefined, next: KubeObject | undefined): void {
    const before = old === undefined ? [] : anchorsOf(old, this.#asked);
    const after = next === undefined ? [] : anchorsOf(next, this.#asked);
    if (before.length === after.length && before.every((place, i) => place === after[i])) return;
    for (const place of before) this.#sets.remove(place, key);
    for (const place of after) this.#sets.add(place, key);
  }

  /** Keys of all objects that match, and maybe of others. */
  candidates(where: Where): Iterable<string> {
    this.#prepareFor(where);
    const place = anchorOf(where);
    return place === anchor.everything ? this.#objects.keys() : this.#sets.of(place);
  }

  /** From the first list by a label, a field, owners or namespaces on, their values are places, too. */
  #prepareFor({ owner, labels, fields, namespace }: Where): void {
    const none = { labels: new Set<string>(), fields: [], hasNamespaces: false, hasOwners: false };
    for (const path in fields) if (!this.#fields.has(path)) this.#add({ ...none, fields: [path] });
    for (const path in fields) this.#fields.add(path);
    if (owner !== undefined) {
      if (!this.#asked.hasOwners) this.#add({ ...none, hasOwners: true });
      this.#asked = { ...this.#asked, hasOwners: true };
      return;
    }
    for (const label in labels) {
      if (!this.#labels.has(label)) this.#add({ ...none, labels: new Set([label]) });
      this.#labels.add(label);
      return;
    }
    if (namespace === undefined || Object.keys(fields ?? {}).length > 0) return;
    if (!this.#asked.hasNamespaces) this.#add({ ...none, hasNamespaces: true });
    this.#asked = { ...this.#asked, hasNamespaces: true };
  }

  #add(asked: Asked): void {
    for (const [key, object] of this.#objects) for (const place of anchorsOf(object, asked)) this.#sets.add(place, key);
  }
}
