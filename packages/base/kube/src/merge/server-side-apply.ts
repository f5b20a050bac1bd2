import type { Schema } from "@trivium/schema";
import { deepEqual, type Instant, type JsonObject } from "@trivium/std";
import type { AnyObject, ManagedFields } from "../object.ts";
import { type ApplyConflict, conflictsOf } from "./apply-conflict.ts";
import { checkConfig } from "./check-config.ts";
import { compare } from "./compare.ts";
import { type FieldSet, isEmptySet, noFields } from "./fields/field-set.ts";
import {
  formatManagers,
  identityOf,
  keepTimes,
  type Manager,
  type Managers,
  parseManagers,
  stamped,
} from "./fields/managed-fields.ts";
import {
  afterChange,
  comparisonWithoutReset,
  contested,
  reconciledManagers,
  resetSet,
  withoutHead,
  withoutManagedFields,
  withoutReset,
} from "./fields/ownership.ts";
import { fieldSetOf } from "./fields/typed-set.ts";
import { fieldsLastApplied, kubectl, withLastApplied } from "./last-applied.ts";
import type { MergeType } from "./merge-type.ts";
import { mergeValues } from "./merge-values.ts";
import { prune } from "./prune.ts";
import { mergeTypeOf } from "./read-schema.ts";
import { settle } from "./settle.ts";
import { emptyOf, updateManagers } from "./track-update.ts";

export interface ApplyInput {
  /** Left out when there is no such object yet. */
  readonly live?: AnyObject | undefined;
  readonly applied: AnyObject;
  readonly schema: Schema;
  readonly manager: string;
  readonly force: boolean;
  readonly subresource?: string | undefined;
  readonly now: Instant;
  /** Dotted paths that this write cannot change: `status` for the main resource of a kind with a status subresource. */
  readonly resetFields?: readonly string[] | undefined;
}

export type ApplyResult = { readonly object: AnyObject } | { readonly conflicts: ApplyConflict[] };

/** Manager of what was there before anybody kept account. */
const beforeFirstApply = "before-first-apply";

/**
 * Server-side apply: the live object with the applied one merged into it, without what this manager applied before and
 * nobody wants any more, and with the new account of who owns what. Defaults are the caller's to fill in afterwards:
 * nobody owns them.
 */
export function applyServerSide(input: ApplyInput): ApplyResult {
  const type = mergeTypeOf(input.schema, input.applied);
  checkConfig(type, input.applied);
  const task = prepare(input, type);
  const first = attempt(task);
  if (!("conflicts" in first) || input.manager !== kubectl) return first;
  const allowed = new Set(conflictsOf(contestedBy(task, fieldsLastApplied(type, task.whole))).map(keyOf));
  const conflicts = first.conflicts.filter((conflict) => !allowed.has(keyOf(conflict)));
  return conflicts.length > 0 ? { conflicts } : attempt({ ...task, force: true });
}

const keyOf = (conflict: ApplyConflict) => JSON.stringify(conflict);

interface Task {
  readonly type: MergeType;
  readonly whole: AnyObject;
  readonly live: JsonObject;
  readonly applied: AnyObject;
  readonly managers: Managers;
  readonly entry: ManagedFields;
  readonly force: boolean;
  readonly now: Instant;
  readonly reset: FieldSet | undefined;
}

function prepare(input: ApplyInput, type: MergeType): Task {
  const { applied, live } = input;
  const whole = live ?? ({ ...emptyOf(applied) } as unknown as AnyObject);
  const entry: ManagedFields = {
    manager: input.manager === "" ? "unknown" : input.manager,
    operation: "Apply",
    apiVersion: applied.apiVersion,
    fieldsType: "FieldsV1",
    ...(input.subresource ? { subresource: input.subresource } : {}),
  };
  const bare = withoutManagedFields(whole);
  return {
    type,
    whole,
    live: bare,
    applied,
    managers: reconciledManagers(type, managersOf(input, type, bare), applied.apiVersion),
    entry,
    force: input.force,
    now: input.now,
    reset: resetSet(input.resetFields),
  };
}

/** The managers of the live object; where nobody kept account, all of it belongs to a manager made up for that. */
function managersOf(
  { live, applied, subresource, now, resetFields }: ApplyInput,
  type: MergeType,
  bare: JsonObject,
): Managers {
  const managers = parseManagers(live?.metadata.managedFields ?? []) ?? new Map<string, Manager>();
  if (live === undefined || managers.size > 0) return managers;
  const write = { manager: beforeFirstApply, subresource, now, resetFields, next: applied };
  return updateManagers({ managers, type, before: emptyOf(applied), after: bare, write });
}

function attempt(task: Task): ApplyResult {
  const { type, live, applied, entry, reset } = task;
  const identity = identityOf(entry);
  const last = task.managers.get(identity);
  const config = applied as unknown as JsonObject;
  const fields = withoutReset(fieldSetOf(type, config), reset);
  const managers = new Map(task.managers).set(identity, { entry: { ...entry, ...timeOf(last) }, fields });
  const merged = prune({
    type,
    merged: mergeValues(type, live, config),
    managers,
    last: last?.fields ?? noFields,
    fields,
  });
  const comparison = comparisonWithoutReset(compare(type, live, merged, "merged"), reset);
  const lost = contested(managers, comparison, identity);
  if (lost.length > 0 && !task.force) return { conflicts: conflictsOf(lost) };
  const next = afterChange(managers, comparison, identity);
  const isChanged = !deepEqual(live, merged);
  own(next, identity, {
    entry: isChanged ? stamped(entry, task.now) : { ...entry, ...timeOf(last) },
    fields: withoutHead(fields),
  });
  return { object: finish(task, isChanged ? merged : live, formatManagers(next)) };
}

const timeOf = (manager: Manager | undefined) =>
  manager?.entry.time === undefined ? {} : { time: manager.entry.time };

function own(managers: Managers, identity: string, manager: Manager): void {
  if (isEmptySet(manager.fields)) managers.delete(identity);
  else managers.set(identity, manager);
}

function contestedBy({ managers, entry }: Task, fields: FieldSet): Manager[] {
  return contested(managers, { changed: fields, removed: noFields }, identityOf(entry));
}

function finish({ type, whole, live, applied, entry }: Task, object: JsonObject, entries: ManagedFields[]): AnyObject {
  const made = (type.map?.standing === undefined ? object : settle(type, object)) as unknown as AnyObject;
  // What was merged in may come to nothing when it is stored, and then the times are as they were too.
  const isAsBefore = deepEqual(made, live);
  const managedFields = isAsBefore ? keepTimes(whole.metadata.managedFields ?? [], entries) : entries;
  const { managedFields: _, ...metadata } = made.metadata ?? {};
  const stored: AnyObject = {
    ...made,
    metadata: { ...metadata, ...(managedFields.length > 0 ? { managedFields } : {}) },
  };
  return entry.manager === kubectl ? withLastApplied(stored, applied) : stored;
}
