import { canonicalJson, deepEqual, getOwn, isObject, type Json } from "@trivium/std";
import type { Schema } from "../schema.ts";
import { keyOf } from "./list-types.ts";

/**
 * A value of an update beside what it was. Faults of values that did not change are forgiven: who edits one field need
 * not mend the others first. Members of maps are known again by their name and elements of list-maps by their keys;
 * elements of other lists are not, so such a list is unchanged as a whole or not at all.
 */
export class Correlation {
  readonly #schema: Schema;
  readonly #value: Json;
  readonly #old: Json;
  readonly #children = new Map<string | number, Correlation | undefined>();
  #partners: ReadonlyMap<string, Json> | undefined;
  #isUnchanged: boolean | undefined;

  constructor(schema: Schema, value: Json, old: Json) {
    this.#schema = schema;
    this.#value = value;
    this.#old = old;
  }

  /** The member or element at a step, where it was there before. */
  at(step: string | number): Correlation | undefined {
    if (this.#children.has(step)) return this.#children.get(step);
    const child = typeof step === "string" ? this.#member(step) : this.#element(step);
    this.#children.set(step, child);
    return child;
  }

  get isUnchanged(): boolean {
    this.#isUnchanged ??= this.#compare();
    return this.#isUnchanged;
  }

  #member(name: string): Correlation | undefined {
    if (!isObject(this.#value) || !isObject(this.#old)) return undefined;
    const { properties, additionalProperties } = this.#schema;
    const schema =
      getOwn(properties, name) ?? (typeof additionalProperties === "object" ? additionalProperties : undefined);
    if (schema === undefined || !Object.hasOwn(this.#value, name) || !Object.hasOwn(this.#old, name)) return undefined;
    return new Correlation(schema, this.#value[name] as Json, this.#old[name] as Json);
  }

  #element(index: number): Correlation | undefined {
    const { items } = this.#schema;
    if (items === undefined || !Array.isArray(this.#value) || !Array.isArray(this.#old) || !this.#isListMap)
      return undefined;
    const names = this.#schema["x-kubernetes-list-map-keys"] ?? [];
    const textOf = (item: Json) => canonicalJson(isObject(item) ? keyOf(item, names) : item);
    this.#partners ??= new Map(this.#old.map((item) => [textOf(item), item]));
    const item = this.#value[index] as Json;
    const partner = this.#partners.get(textOf(item));
    return partner === undefined ? undefined : new Correlation(items, item, partner);
  }

  get #isListMap(): boolean {
    return this.#schema["x-kubernetes-list-type"] === "map";
  }

  #compare(): boolean {
    const [value, old] = [this.#value, this.#old];
    if (Array.isArray(value) && Array.isArray(old)) {
      if (!this.#isListMap) return deepEqual(value, old);
      return value.length === old.length && value.every((_, index) => this.at(index)?.isUnchanged === true);
    }
    if (!isObject(value) || !isObject(old)) return deepEqual(value, old);
    // What the schema does not know cannot be compared, and counts as changed.
    const keys = Object.keys(value);
    return keys.length === Object.keys(old).length && keys.every((key) => this.at(key)?.isUnchanged === true);
  }
}
