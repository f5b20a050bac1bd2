import { canonicalJson, isObject, type Json } from "@trivium/std";
import type { ListKey, ListType } from "../merge-type.ts";
import { escapedForHtml } from "../patch/go-text.ts";

/**
 * One step of a field path in the form of `fieldsV1`: `f:name`, `k:{"name":"a"}` (an item of a list map), `v:"a"`
 * (an item of a set) or `i:0`. Equal steps have equal texts, so that sets of fields are plain objects.
 */
export type PathElement = string;

/** The step to an item of a set or list map, or why there is none. */
export function itemElement(list: ListType, item: Json): PathElement | ItemFault {
  return list.merges === "map" ? keyedElement(list.keys, item) : valueElement(item);
}

/** Why an item of a list cannot be named; the message is what a real server says. */
export interface ItemFault {
  readonly fault: string;
}

function keyedElement(keys: readonly ListKey[], item: Json): PathElement | ItemFault {
  if (item === null) return { fault: "associative list with keys may not have a null element" };
  if (!isObject(item)) return { fault: "associative list with keys may not have non-map elements" };
  let text = "";
  for (const key of keys) {
    const value = Object.hasOwn(item, key.name) ? item[key.name] : key.default;
    if (value === undefined) continue;
    text += `${text === "" ? "" : ","}${goJson(key.name)}:${goJson(value)}`;
  }
  if (text !== "") return `k:{${text}}`;
  const names = keys.map((key) => JSON.stringify(key.name)).join(" ");
  return {
    fault: `associative list with keys has an element that omits all key fields [${names}] (and doesn't have default values for any key fields)`,
  };
}

function valueElement(item: Json): PathElement | ItemFault {
  if (item === null) return { fault: "associative list without keys has an element that's an explicit null" };
  if (Array.isArray(item)) return { fault: "not supported: associative list with lists as elements" };
  if (isObject(item)) return { fault: "associative list without keys has an element that's a map type" };
  return `v:${goJson(item)}`;
}

/** JSON text as Go writes it, with keys in order. */
const goJson = (value: Json) =>
  escapedForHtml(typeof value === "object" ? canonicalJson(value) : JSON.stringify(value));

/** The step in the one form that equal steps share; undefined for a kind of step that is not known, an error for none. */
export function canonicalElement(text: string): PathElement | undefined {
  if (text.length < 2 || text[1] !== ":")
    throw new Error(`${JSON.stringify(text)} is not a valid step of a field path`);
  const rest = text.slice(2);
  switch (text[0]) {
    case "f":
      return text;
    case "v":
      return `v:${goJson(JSON.parse(rest) as Json)}`;
    case "k": {
      const keys: unknown = JSON.parse(rest);
      if (!isObject(keys)) throw new Error(`${JSON.stringify(text)} contains no keys`);
      return `k:${goJson(keys)}`;
    }
    case "i":
      if (!/^-?\d+$/.test(rest)) throw new Error(`${JSON.stringify(text)} is not a valid index`);
      return text;
    default:
      return undefined;
  }
}

/** A step as people read it: `.name`, `[name="a"]`, `[="a"]`, `[0]`. */
export function formatElement(element: PathElement): string {
  const rest = element.slice(2);
  switch (element[0]) {
    case "f":
      return `.${rest}`;
    case "k": {
      const keys = Object.entries(JSON.parse(rest) as Record<string, Json>);
      return `[${keys.map(([name, value]) => `${name}=${JSON.stringify(value)}`).join(",")}]`;
    }
    case "v":
      return `[=${JSON.stringify(JSON.parse(rest))}]`;
    default:
      return `[${rest}]`;
  }
}

/** The order in which a real server writes steps: the node itself, fields, keys, values, indices; each by its text. */
export function compareElements(a: PathElement, b: PathElement): number {
  const left = a.charCodeAt(0);
  const right = b.charCodeAt(0);
  if (left !== right) return rankOf(left) - rankOf(right);
  return a < b ? -1 : a > b ? 1 : 0;
}

const rankOf = (letter: number) => ".fkvi".indexOf(String.fromCharCode(letter));
