import type { PortableKey, ReadField } from "@trivium/domain";
import type { AnyObject } from "@trivium/kube";
import { getOwn, type Json } from "@trivium/std";

/** Reads an object field by field and keeps account of it: what nothing takes is reported as well. */
export interface FieldReader {
  /** The value of a field, which becomes this part of the portable service. */
  take<T = Json>(key: PortableKey, ...path: string[]): T | undefined;
  /** The value of a field that every API sets in its own way, so that it needs no counterpart. */
  skip<T = Json>(...path: string[]): T | undefined;
  /** The value of a field, which stays unread. */
  peek(path: readonly string[]): Json | undefined;
  /** Notes a part of a field that was taken or skipped as a whole. */
  note(key: PortableKey | undefined, path: readonly string[], value: Json): void;
  /** Notes a part of a field that no other API has, and why. */
  leave(path: readonly string[], value: Json, why: string): void;
  /** All fields of the spec and of the metadata that users write, those that nothing took without a key. */
  fields(): readonly ReadField[];
}

const metadataFields = ["labels", "annotations"];

export function openFields(object: AnyObject): FieldReader {
  const { kind, metadata } = object;
  const name = metadata.name ?? "";
  const taken: ReadField[] = [];
  const done = new Set<string>();
  const note: FieldReader["note"] = (key, path, value) => void taken.push({ kind, name, path, value, key });
  const skip = <T>(...path: string[]): T | undefined => {
    done.add(JSON.stringify(path));
    return valueAt(object as unknown as Json, path) as T | undefined;
  };
  return {
    skip,
    note,
    leave: (path, value, why) => void taken.push({ kind, name, path, value, why }),
    peek: (path) => valueAt(object as unknown as Json, path),
    take<T>(key: PortableKey, ...path: string[]) {
      const value = skip<Json>(...path);
      if (value !== undefined) note(key, path, value);
      return value as T | undefined;
    },
    fields() {
      const starts = [["spec"], ...metadataFields.map((field) => ["metadata", field])];
      const rest = starts.flatMap((path) => leavesOf(valueAt(object as unknown as Json, path), path, done));
      return [...taken, ...rest.map(({ path, value }) => ({ kind, name, path, value }))];
    },
  };
}

function valueAt(value: Json | undefined, path: readonly string[]): Json | undefined {
  return path.reduce<Json | undefined>(
    (inner, key) =>
      typeof inner === "object" && inner !== null && !Array.isArray(inner) ? getOwn(inner, key) : undefined,
    value,
  );
}

/** What is left below a path: each value that is no map, and each map that is empty. */
function leavesOf(
  value: Json | undefined,
  path: readonly string[],
  done: ReadonlySet<string>,
): { path: readonly string[]; value: Json }[] {
  if (value === undefined || done.has(JSON.stringify(path))) return [];
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [{ path, value }];
  return Object.entries(value).flatMap(([key, inner]) => leavesOf(inner, [...path, key], done));
}
