import type { Json } from "@trivium/std";

/** A value that the real server could not have decoded. The message is the one a client sees. */
export class DecodeFault extends Error {}

/** Where the decoder is, as a chain to the root: texts are made of it only when there is something to say. */
export interface Place {
  readonly up: Place | undefined;
  /** The struct whose field this is; that of the list or map for what lies inside one. */
  readonly struct: string;
  /** The field as messages about types name it; empty inside lists and maps, which those messages leave out. */
  readonly label: string;
  /** Name of the field, key of a map or index of a list. */
  readonly key: string | number;
}

/** `spec.containers[0].name`, as messages about unknown fields say it. */
export function pathOf(place: Place | undefined): string {
  if (place === undefined) return "";
  const head = pathOf(place.up);
  if (typeof place.key === "number") return `${head}[${place.key}]`;
  return head === "" ? place.key : `${head}.${place.key}`;
}

function labelsOf(place: Place | undefined): string {
  if (place === undefined) return "";
  const head = labelsOf(place.up);
  if (place.label === "") return head;
  return head === "" ? place.label : `${head}.${place.label}`;
}

export function mismatch(shape: { go: string }, value: Json, place: Place): DecodeFault {
  const field = `Go struct field ${place.struct}.${labelsOf(place)}`;
  return new DecodeFault(`json: cannot unmarshal ${wordFor(value, shape.go)} into ${field} of type ${shape.go}`);
}

function wordFor(value: Json, go: string): string {
  if (Array.isArray(value)) return "array";
  if (typeof value === "number") return /^(int|float)/.test(go) ? `number ${value}` : "number";
  return typeof value === "boolean" ? "bool" : typeof value;
}
