import type { Schema } from "@trivium/schema";
import type { Instant, JsonObject } from "@trivium/std";
import type { AnyObject, ManagedFields } from "../object.ts";
import { compare } from "./compare.ts";
import { capManagers } from "./fields/cap-managers.ts";
import { isEmptySet, union } from "./fields/field-set.ts";
import { formatManagers, identityOf, type Managers, parseManagers, stamped } from "./fields/managed-fields.ts";
import {
  afterChange,
  comparisonWithoutReset,
  entriesToStartFrom,
  reconciledManagers,
  resetSet,
  withoutHead,
  withoutManagedFields,
} from "./fields/ownership.ts";
import type { MergeType } from "./merge-type.ts";
import { mergeTypeOf } from "./read-schema.ts";

/** A create, update or patch that has been carried out. */
export interface UpdateInput {
  /** Left out on create. */
  readonly live?: AnyObject | undefined;
  readonly next: AnyObject;
  readonly schema: Schema;
  readonly manager: string;
  readonly subresource?: string | undefined;
  readonly now: Instant;
  /** Dotted paths that this write cannot change: `status` for the main resource of a kind with a status subresource. */
  readonly resetFields?: readonly string[] | undefined;
}

/**
 * `managedFields` after a write that was not an apply. The writer owns what differs from the live object, others lose it.
 * Nothing changes, not even a time, when nothing differs.
 */
export function trackUpdate(input: UpdateInput): ManagedFields[] {
  const { live, next, subresource } = input;
  const type = mergeTypeOf(input.schema, next);
  const entries = entriesToStartFrom({ live, next, subresource, type });
  // Whoever switched tracking off by emptying the list has it off until the next apply.
  if (entries.length === 0 && live !== undefined) return [];
  const managers = parseManagers(entries) ?? new Map();
  const before = live === undefined ? emptyOf(next) : withoutManagedFields(live);
  const tracked = updateManagers({ managers, type, before, after: withoutManagedFields(next), write: input });
  return tracked === managers ? entries : formatManagers(capManagers(tracked));
}

export interface ManagersUpdate {
  readonly managers: Managers;
  readonly type: MergeType;
  readonly before: JsonObject;
  readonly after: JsonObject;
  readonly write: Pick<UpdateInput, "manager" | "subresource" | "now" | "resetFields"> & { readonly next: AnyObject };
}

/** The managers after an update; the same map when it changed nothing. */
export function updateManagers({ managers, type, before, after, write }: ManagersUpdate): Managers {
  const comparison = comparisonWithoutReset(compare(type, before, after), resetSet(write.resetFields));
  if (isEmptySet(comparison.changed) && isEmptySet(comparison.removed)) return managers;
  const next = afterChange(reconciledManagers(type, managers, write.next.apiVersion), comparison);
  const taken = withoutHead(comparison.changed);
  if (isEmptySet(taken)) return next;
  const entry: ManagedFields = {
    manager: write.manager === "" ? "unknown" : write.manager,
    operation: "Update",
    apiVersion: write.next.apiVersion,
    fieldsType: "FieldsV1",
    ...(write.subresource ? { subresource: write.subresource } : {}),
  };
  const identity = identityOf(entry);
  const fields = union(next.get(identity)?.fields ?? {}, taken);
  next.set(identity, { entry: stamped(entry, write.now), fields });
  return next;
}

/** What an object is before it is made: its head, and nothing in it. */
export function emptyOf({ apiVersion, kind }: AnyObject): JsonObject {
  return { apiVersion, kind, metadata: {} };
}
