import { hash } from "node:crypto";
import type { KubeObject } from "@trivium/kube";
import {
  compareQuantity,
  deepEqual,
  isObject,
  type Json,
  type JsonObject,
  parseQuantity,
  type Quantity,
} from "@trivium/std";

/** Maps and fields whose values are quantities, which the server writes in its own way: `1000m` comes back as `1`. */
const quantityMaps = new Set(["requests", "limits", "capacity", "hard", "overhead"]);
const quantityFields = new Set(["sizeLimit", "divisor"]);

/** Whether everything wanted is there and equal. What is there besides is not looked at. */
export function contains(live: unknown, wanted: unknown, key = ""): boolean {
  if (live === undefined || live === null) return isEmpty(wanted);
  if (Array.isArray(wanted)) {
    return Array.isArray(live) && live.length === wanted.length && wanted.every((item, i) => contains(live[i], item));
  }
  if (!isObject(wanted)) return live === wanted || (quantityFields.has(key) && isSameQuantity(live, wanted));
  if (!isObject(live)) return false;
  const isSame = quantityMaps.has(key) ? isSameQuantity : contains;
  for (const inner in wanted) {
    if (live[inner] !== wanted[inner] && !isSame(live[inner], wanted[inner], inner)) return false;
  }
  return true;
}

/** A server may leave out what is empty, because for it that means the same; where it does not, a default would be there instead. */
function isEmpty(wanted: unknown): boolean {
  if (Array.isArray(wanted)) return wanted.length === 0;
  if (isObject(wanted)) return Object.keys(wanted).length === 0;
  return wanted === undefined || wanted === null || wanted === false || wanted === 0 || wanted === "";
}

function isSameQuantity(live: unknown, wanted: unknown): boolean {
  const [a, b] = [quantityOf(live), quantityOf(wanted)];
  return a !== undefined && b !== undefined && compareQuantity(a, b) === 0;
}

function quantityOf(value: unknown): Quantity | undefined {
  return typeof value === "string" || typeof value === "number" ? parseQuantity(value) : undefined;
}

/** Whether a set of fields (`fieldsV1`) holds nothing but what is wanted: if not, something of ours must be taken back. */
export function ownsOnly(fields: JsonObject, wanted: unknown): boolean {
  for (const step in fields) {
    if (step === ".") continue;
    const inner = follow(wanted, step);
    if (inner === undefined || !ownsOnly(fields[step] as JsonObject, inner)) return false;
  }
  return true;
}

/** One step of a field path: `f:name`, `k:{"name":"x"}`, `v:"x"` or `i:0`. */
function follow(value: unknown, step: string): unknown {
  const rest = step.slice(2);
  if (step.startsWith("f:")) return isObject(value) ? value[rest] : undefined;
  if (!Array.isArray(value)) return undefined;
  if (step.startsWith("i:")) return value[Number(rest)];
  const wanted = JSON.parse(rest) as Json;
  if (step.startsWith("v:")) return value.find((item) => deepEqual(item, wanted));
  return value.find((item) => isObject(item) && isObject(wanted) && hasKeys(item, wanted));
}

/** A key that the element leaves out may have been filled in by a default. */
function hasKeys(item: JsonObject, keys: JsonObject): boolean {
  return Object.keys(keys).every((key) => item[key] === undefined || deepEqual(item[key], keys[key]));
}

/**
 * Equal digests are equal values; not for reading: a character is a byte, as thousands of digests are kept. Values that differ in the order of keys have other digests, which costs a comparison and no more: every
 * pass takes the digest of every child, and sorting keys would be most of the work.
 */
export function digest(value: unknown): string {
  return hash("sha256", JSON.stringify(value) ?? "null", "binary");
}

/** What of an object a person or another controller could have touched: all but its status and the server's bookkeeping. */
export function touchable(object: KubeObject): object {
  const { status: _, metadata, ...content } = object as KubeObject & { status?: unknown };
  const { labels, annotations, ownerReferences, finalizers, uid, deletionTimestamp } = metadata;
  return { ...content, metadata: { labels, annotations, ownerReferences, finalizers, uid, deletionTimestamp } };
}
