import type { DefinedKind } from "@trivium/kube";
import type { FieldTypes, KindFacts } from "./facts.ts";
import { flattenSchema } from "./flatten.ts";
import { coversField, type WithoutEffect } from "./without-effect.ts";

export type FieldState = "supported" | "no effect" | "not supported" | "only here";

export interface FieldRow {
  readonly field: string;
  readonly type: string;
  readonly state: FieldState;
  /** Where it is not the type of the release. */
  readonly ownType?: string;
}

/** Every field of a kind in the release and in our schema, in the order of their names. */
export function compareFields(
  facts: KindFacts,
  own: DefinedKind,
  withoutEffect: readonly WithoutEffect[],
): readonly FieldRow[] {
  const ours = flattenSchema(own.schema);
  const isInert = (field: string): boolean => withoutEffect.some((row) => coversField(row, facts.kind, field));
  const rows = Object.entries(facts.fields).map(([field, type]): FieldRow => {
    const ownType = findType(ours, field);
    if (ownType === undefined) return { field, type, state: "not supported" };
    const state = isInert(field) ? "no effect" : "supported";
    return { field, type, state, ...(isSameType(type, ownType) ? {} : { ownType }) };
  });
  const extra = Object.entries(ours)
    .filter(([field]) => isMissing(facts.fields, field) && !isMissing(facts.fields, parentOf(field)))
    .map(([field, type]): FieldRow => ({ field, type, state: "only here" }));
  return [...rows, ...extra].sort((a, b) => (a.field < b.field ? -1 : 1));
}

/** Of fields that are missing with all that is below them, the upper one is enough. */
const isMissing = (fields: FieldTypes, path: string): boolean => findType(fields, path) === undefined;

const parentOf = (path: string): string => path.replace(/(?:\[\]|\{\})*\.[^.]+$/, "");

/** The type of a field, or `any` below a field that takes anything or is a whole type of Kubernetes. */
function findType(fields: FieldTypes, path: string): string | undefined {
  if (fields[path] !== undefined) return fields[path];
  const parent = parentOf(path);
  if (parent === path) return undefined;
  const above = fields[parent] ?? findType(fields, parent);
  return above !== undefined && isWhole(above) ? "any" : undefined;
}

const isWhole = (type: string): boolean => /^(?:\[\]|map\[)*(?:any|[A-Z]\w+)\]*$/.test(type);

/** Formats are rules of a value; a field that takes anything takes every type. */
function isSameType(a: string, b: string): boolean {
  return a === b || a === "any" || b === "any" || plain(a) === plain(b);
}

const plain = (type: string): string =>
  type
    .replace(/int32|int64/, "integer")
    .replace(/date-time|duration|uri/, "string")
    .replace(/^[A-Z]\w+(?: and more)?$/, "object")
    .replace(/^\[\][A-Z]\w+$/, "[]object");
