import { cloneJson, deepEqual, isObject, type Json, setOwn } from "@trivium/std";
import type { JsonPatchOperation } from "../../client.ts";
import { parsePointer } from "./json-pointer.ts";
import { rejectedPatch } from "./patch-error.ts";

/** A patch may copy a document into itself; without a limit a few operations would fill the memory. */
const copyLimit = 3 * 1024 * 1024;

/** The document under change: its root may be replaced too. */
interface Sheet {
  root: Json;
  copied: number;
}

/**
 * RFC 6902. The leniencies of a real server are kept, since clients lean on them: `replace` of a key that is missing adds
 * it, `test` for null holds for a key that is missing, a value that is missing is null, as is the copy of a missing key, and
 * indexes below zero count from the end.
 */
export function applyJsonPatch(target: Json, ops: readonly JsonPatchOperation[]): Json {
  const sheet: Sheet = { root: cloneJson(target), copied: 0 };
  for (const op of ops) applyOperation(sheet, op);
  return sheet.root;
}

function applyOperation(sheet: Sheet, op: JsonPatchOperation): void {
  if (!isObject(op) || typeof op.path !== "string") throw rejectedPatch("an operation must be an object with a path");
  const path = parsePointer(op.path);
  switch (op.op) {
    case "add":
      add(sheet, path, cloneJson(givenValue(op)));
      return;
    case "remove":
      remove(sheet, path);
      return;
    case "replace":
      replace(sheet, path, cloneJson(givenValue(op)));
      return;
    case "move":
      move(sheet, givenFrom(op), path);
      return;
    case "copy":
      add(sheet, path, copyOf(sheet, givenFrom(op)));
      return;
    case "test":
      test(sheet, path, givenValue(op));
      return;
    default:
      throw rejectedPatch(`Unexpected kind: ${String((op as { op?: unknown }).op)}`);
  }
}

const givenValue = (op: JsonPatchOperation): Json => op.value ?? null;

function givenFrom(op: JsonPatchOperation): readonly string[] {
  if (typeof op.from !== "string") throw rejectedPatch(`operation ${op.op} at ${op.path} is missing its from`);
  return parsePointer(op.from);
}

function add(sheet: Sheet, path: readonly string[], value: Json): void {
  const key = path.at(-1);
  if (key === undefined) {
    sheet.root = value;
    return;
  }
  const parent = parentOf(sheet, path);
  if (Array.isArray(parent)) parent.splice(key === "-" ? parent.length : indexOf(parent, key, parent.length), 0, value);
  else setOwn(parent, key, value);
}

function replace(sheet: Sheet, path: readonly string[], value: Json): void {
  const key = path.at(-1);
  if (key === undefined) {
    sheet.root = value;
    return;
  }
  const parent = parentOf(sheet, path);
  if (Array.isArray(parent)) parent[indexOf(parent, key, parent.length - 1)] = value;
  else setOwn(parent, key, value);
}

function remove(sheet: Sheet, path: readonly string[]): Json {
  const key = path.at(-1);
  if (key === undefined) throw rejectedPatch("the whole document cannot be removed");
  const parent = parentOf(sheet, path);
  if (Array.isArray(parent)) return parent.splice(indexOf(parent, key, parent.length - 1), 1)[0] as Json;
  if (!Object.hasOwn(parent, key)) throw rejectedPatch(`Unable to remove nonexistent key: ${key}`);
  const removed = parent[key] as Json;
  delete parent[key];
  return removed;
}

function move(sheet: Sheet, from: readonly string[], to: readonly string[]): void {
  if (to.length > from.length && from.every((part, at) => part === to[at])) {
    throw rejectedPatch("a value cannot be moved into itself");
  }
  if (from.length === 0) return;
  add(sheet, to, remove(sheet, from));
}

function copyOf(sheet: Sheet, from: readonly string[]): Json {
  const value = read(sheet, from) ?? null;
  sheet.copied += JSON.stringify(value).length;
  if (sheet.copied > copyLimit) throw rejectedPatch("the copies of this patch grow the document too much");
  return cloneJson(value);
}

function test(sheet: Sheet, path: readonly string[], wanted: Json): void {
  if (!deepEqual(read(sheet, path) ?? null, wanted)) throw rejectedPatch(`testing value /${path.join("/")} failed`);
}

/** The value at a path; undefined where only the last key of an object is missing. */
function read(sheet: Sheet, path: readonly string[]): Json | undefined {
  const key = path.at(-1);
  if (key === undefined) return sheet.root;
  const parent = parentOf(sheet, path);
  if (Array.isArray(parent)) return parent[indexOf(parent, key, parent.length - 1)];
  return Object.hasOwn(parent, key) ? parent[key] : undefined;
}

function parentOf(sheet: Sheet, path: readonly string[]): Json[] | Record<string, Json> {
  let here: Json | undefined = sheet.root;
  for (const key of path.slice(0, -1)) {
    if (Array.isArray(here)) here = here[indexOf(here, key, here.length - 1)];
    else here = isObject(here) && Object.hasOwn(here, key) ? here[key] : undefined;
  }
  if (Array.isArray(here) || isObject(here)) return here;
  throw rejectedPatch(`doc is missing path: /${path.join("/")}`);
}

function indexOf(list: readonly Json[], key: string, last: number): number {
  if (!/^(0|-?[1-9]\d*)$/.test(key)) throw rejectedPatch(`value was not a proper array index: '${key}'`);
  const index = Number(key) < 0 ? Number(key) + last + 1 : Number(key);
  if (index > last || index < 0) throw rejectedPatch(`Unable to access invalid index: ${key} of ${list.length}`);
  return index;
}
