import { readFileSync, statSync } from "node:fs";
import type { AnyObject } from "@trivium/kube";
import { isObject, type Json, Refusal } from "@trivium/std";
import { type Document, isScalar, LineCounter, parseAllDocuments, visit, type YAMLMap } from "yaml";
import { forEachOrFaults } from "./faults.ts";

/** An object of a file. */
export interface FileObject {
  readonly object: AnyObject;
  /** `models.yaml: document 2`. */
  readonly place: string;
}

/** All objects of a YAML or JSON file; those of a List one by one. */
export const readDocuments = (path: string): AnyObject[] => forEachOrFaults(readObjects(path), requireMetadata);

/** The objects of several files, each with its place; every fault of every file is reported. */
export function readPlaced(paths: readonly string[]): FileObject[] {
  return forEachOrFaults(paths, (path) =>
    forEachOrFaults(readObjects(path), (one) => ({ ...one, object: requireMetadata(one) })),
  ).flat();
}

/** Resources have metadata; the head of saved facts has none. */
export function requireMetadata({ object, place }: FileObject): AnyObject {
  if (!isObject(object.metadata as unknown as Json))
    throw new Refusal(`${place}: ${object.kind} has no metadata; add metadata.name`);
  const { name, namespace } = object.metadata as { readonly name?: unknown; readonly namespace?: unknown };
  for (const [field, value] of Object.entries({ name, namespace }))
    if (value !== undefined && typeof value !== "string")
      throw new Refusal(`${place}: metadata.${field} of ${object.kind} is not a string; put it in quotes`);
  return object;
}

/** `-` is what a person types, and not what it means. */
export const nameOfFile = (path: string): string => (path === "-" ? "standard input" : path);

export function readObjects(path: string): FileObject[] {
  const lineCounter = new LineCounter();
  // The parser compares each key with all before it, which takes minutes where a map has tens of thousands.
  const documents = parseAllDocuments(readText(path), { merge: true, uniqueKeys: false, lineCounter });
  return forEachOrFaults(documents, (document, index) => {
    const place = `${nameOfFile(path)}: document ${index + 1}`;
    const [error = repeatedKey(document, lineCounter)] = document.errors;
    // The first line ends with a colon where the text of the file follows.
    if (error !== undefined)
      throw new Refusal(`${place} is not valid YAML: ${error.message.split("\n")[0]?.replace(/:$/, "")}`);
    return objectsIn(resolveAliases(document, place), place).map((object) => ({ object, place }));
  }).flat();
}

/** The first key that a map has twice. */
function repeatedKey(document: Document, lines: LineCounter): { readonly message: string } | undefined {
  let found: number | undefined;
  visit(document, {
    Map: (_, map) => {
      found = repeatedIn(map);
      return found === undefined ? undefined : visit.BREAK;
    },
  });
  if (found === undefined) return undefined;
  const { line, col } = lines.linePos(found);
  return { message: `Map keys must be unique at line ${line}, column ${col}` };
}

function repeatedIn({ items }: YAMLMap): number | undefined {
  const seen = new Set<unknown>();
  for (const { key } of items) {
    if (!isScalar(key) || key.value === "<<") continue;
    if (seen.has(key.value)) return key.range?.[0] ?? 0;
    seen.add(key.value);
  }
  return undefined;
}

/** Aliases can repeat a value without end, or contain the value that they are part of. */
function resolveAliases(document: Document, place: string): unknown {
  const value = expand(document, place);
  if (hasCycle(value, new Set()))
    throw new Refusal(`${place} has an alias to a value that contains the alias; replace it with a value`);
  return value;
}

function expand(document: Document, place: string): unknown {
  try {
    return document.toJS();
  } catch (error) {
    const [cause] = (error as Error).message.split("\n");
    throw new Refusal(`${place} is not valid YAML: ${cause}; replace its aliases with the values`);
  }
}

function hasCycle(value: unknown, above: Set<unknown>): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (above.has(value)) return true;
  above.add(value);
  const found = Object.values(value).some((inner) => hasCycle(inner, above));
  above.delete(value);
  return found;
}

function readText(path: string): string {
  try {
    // Reading a pipe or a device can wait forever.
    if (path !== "-" && isSpecial(path))
      throw new Refusal(`cannot read ${path}: it is not a regular file; use - to read standard input`);
    return readFileSync(path === "-" ? 0 : path, "utf8");
  } catch (error) {
    if (error instanceof Refusal) throw error;
    const { code = "", message } = error as NodeJS.ErrnoException;
    throw new Refusal(`cannot read ${path}: ${faults[code] ?? message}`);
  }
}

function isSpecial(path: string): boolean {
  const stat = statSync(path);
  return !stat.isFile() && !stat.isDirectory();
}

const faults: Readonly<Record<string, string>> = {
  ENOENT: "file not found",
  EISDIR: "it is a folder; name a file in it",
  EACCES: "permission denied",
};

function objectsIn(value: unknown, place: string): AnyObject[] {
  if (value === null || value === undefined) return [];
  const object = value as Partial<AnyObject> & { readonly items?: unknown };
  const { apiVersion, kind } = object;
  if (typeof apiVersion !== "string" || typeof kind !== "string")
    throw new Refusal(`${place} is not a Kubernetes object; add apiVersion and kind`);
  if (kind.endsWith("List") && Array.isArray(object.items))
    return forEachOrFaults(object.items, (item) => objectsIn(item, place)).flat();
  return [object as AnyObject];
}
