import type { JsonObject } from "@trivium/std";
import { difference, type FieldSet, intersection, isEmptySet, union } from "./fields/field-set.ts";
import type { Managers } from "./fields/managed-fields.ts";
import { removeFields } from "./fields/remove-fields.ts";
import { fieldSetOf, hasLooseEnds, withNamedFields } from "./fields/typed-set.ts";
import type { MergeType } from "./merge-type.ts";

export interface Pruning {
  readonly type: MergeType;
  readonly merged: JsonObject;
  /** With what is applied now. */
  readonly managers: Managers;
  /** What this manager applied last, and what it applies now. */
  readonly last: FieldSet;
  readonly fields: FieldSet;
}

/** Removes what this manager applied last time, does not apply now, and nobody else owns. */
export function prune({ type, merged, managers, last, fields }: Pruning): JsonObject {
  const isAllWantedStill = isEmptySet(difference(last, fields)) && !hasLooseEnds(type, last);
  if (isAllWantedStill) return merged;
  const named = (set: FieldSet) => withNamedFields(type, set);
  const lastNamed = named(last);
  const mergedNamed = named(fieldSetOf(type, merged));
  const owned = named([...managers.values()].map(({ fields }) => fields).reduce(union));
  const withoutLast = named(fieldSetOf(type, removeFields(type, merged, lastNamed)));
  const withOwned = removeFields(type, merged, difference(mergedNamed, union(withoutLast, owned)));
  const doomed = intersection(difference(mergedNamed, named(fieldSetOf(type, withOwned))), lastNamed);
  return isEmptySet(doomed) ? merged : removeFields(type, merged, doomed);
}
