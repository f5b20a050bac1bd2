import { isObject, type Json, type JsonObject } from "@trivium/std";

/** What a person wrote under one key of a ConfigMap cannot be used. */
export class FaultyKey extends Error {}

/** The fields of one JSON document that a person wrote. What is not what it should be ends the reading. */
export class JsonFields {
  readonly #value: JsonObject;

  constructor(text: string) {
    const value = parsed(text);
    if (!isObject(value)) throw new FaultyKey("must be a JSON object");
    this.#value = value;
  }

  text(field: string): string | undefined {
    const value = this.#of(field);
    if (value === undefined || typeof value === "string") return value;
    throw new FaultyKey(`${field} must be a string`);
  }

  oneOf<const T extends string>(field: string, words: readonly T[]): T | undefined {
    const text = this.text(field);
    if (text === undefined || text === "") return undefined;
    const found = words.find((word) => word === text);
    if (found === undefined) throw new FaultyKey(`${field} must be one of ${words.join(", ")}`);
    return found;
  }

  /** Also as a text: older configurations quote it. */
  flag(field: string): boolean | undefined {
    const value = this.#of(field);
    if (value === undefined || value === "") return undefined;
    if (value === true || value === "true") return true;
    if (value === false || value === "false") return false;
    throw new FaultyKey(`${field} must be true or false`);
  }

  texts(field: string): readonly string[] | undefined {
    const value = this.#of(field);
    if (value === undefined) return undefined;
    if (Array.isArray(value) && value.every((one) => typeof one === "string")) return value as string[];
    throw new FaultyKey(`${field} must be a list of strings`);
  }

  objects(field: string): readonly JsonObject[] | undefined {
    const value = this.#of(field);
    if (value === undefined) return undefined;
    if (Array.isArray(value) && value.every(isObject)) return value as JsonObject[];
    throw new FaultyKey(`${field} must be a list of objects`);
  }

  object(field: string): JsonObject | undefined {
    const value = this.#of(field);
    if (value === undefined || isObject(value)) return value;
    throw new FaultyKey(`${field} must be an object`);
  }

  #of(field: string): Json | undefined {
    const value = Object.hasOwn(this.#value, field) ? this.#value[field] : undefined;
    return value === null ? undefined : value;
  }
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    throw new FaultyKey("not valid JSON");
  }
}

/** An object without the fields that nobody set. */
export function given<T extends object>(fields: { readonly [K in keyof T]?: T[K] | undefined }): Partial<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<T>;
}
