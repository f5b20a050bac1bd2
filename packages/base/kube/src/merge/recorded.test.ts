import assert from "node:assert/strict";
import { test } from "node:test";
import type { Schema } from "@trivium/schema";
import { builtInSchema } from "../built-in.ts";
import type { Status } from "../errors.ts";
import type { AnyObject, ManagedFields } from "../object.ts";
import { conflictStatus } from "./apply-conflict.ts";
import recorded from "./generated/recorded-steps.json" with { type: "json" };
import { applyServerSide } from "./server-side-apply.ts";
import { trackUpdate } from "./track-update.ts";

/**
 * Single steps out of random histories of several managers. `managedFields` and `status` are the very answers of
 * kube-apiserver v1.36.4. `object` is not: a server never shows an object before defaults are filled in. It is what these
 * functions merged, kept because the server, given it to create or replace, answered with what it had made of the step.
 */
interface Step {
  kind: string;
  op: string;
  outcome: "conflict" | "created" | "merged" | "tracked";
  live?: AnyObject;
  input: AnyObject;
  manager: string;
  force?: boolean;
  subresource?: string;
  resetFields?: string[];
  managedFields?: ManagedFields[];
  object?: object;
  status?: Status;
}

const now = Date.parse("2026-11-15T00:00:00Z");
const steps = recorded.steps as unknown as Step[];

for (const [index, step] of steps.entries()) {
  test(`recorded step ${index}: ${step.kind} ${step.op} ${step.outcome}`, () => {
    const before = JSON.stringify(step);
    if (step.outcome === "tracked") checkUpdate(step);
    else checkApply(step);
    assert.equal(JSON.stringify(step), before, "inputs are left alone");
  });
}

function checkUpdate(step: Step): void {
  const { live, input, manager, subresource, resetFields } = step;
  const entries = trackUpdate({ live, next: input, schema: schemaOf(step), manager, subresource, resetFields, now });
  assert.deepEqual(comparable(entries), comparable(step.managedFields ?? []));
}

function checkApply(step: Step): void {
  const { live, input, manager, force = false, subresource, resetFields } = step;
  const result = applyServerSide({
    live,
    applied: input,
    schema: schemaOf(step),
    manager,
    force,
    subresource,
    resetFields,
    now,
  });
  if ("conflicts" in result) {
    assert.deepEqual(withSortedCauses(conflictStatus(result.conflicts)), withSortedCauses(step.status));
    return;
  }
  const { managedFields = [], ...metadata } = result.object.metadata;
  assert.deepEqual(comparable(managedFields), comparable(step.managedFields ?? []));
  if (step.object !== undefined) assert.deepEqual({ ...result.object, metadata }, step.object);
}

/** A real server tells causes in no order. */
function withSortedCauses(status: Pick<Status, "details"> | undefined): object {
  const causes = (status?.details?.causes ?? []).toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  const printed = causes.map(({ reason, message, field }) => ({ reason, message, field }));
  return { ...status, details: { ...status?.details, causes: printed } };
}

function schemaOf({ input }: Step): Schema {
  const [version = "", group = ""] = input.apiVersion.split("/").reverse();
  return builtInSchema(group, version, input.kind) ?? (recorded.schema as unknown as Schema);
}

/** All recorded times are one and the same, so the order of entries says nothing. */
function comparable(entries: readonly ManagedFields[]): ManagedFields[] {
  const name = (entry: ManagedFields) =>
    JSON.stringify([entry.operation, entry.manager, entry.apiVersion, entry.subresource]);
  return entries.toSorted((a, b) => (name(a) < name(b) ? -1 : 1));
}
