import assert from "node:assert/strict";
import { test } from "node:test";
import type { Schema } from "@trivium/schema";
import { builtInSchema } from "../../built-in.ts";
import type { AnyObject, ManagedFields } from "../../object.ts";
import { trackUpdate } from "../track-update.ts";
import { managedFieldsOfScale, mergeScaleManagedFields } from "./scale-fields.ts";

const parent = { apiVersion: "apps/v1", replicasPath: ".spec.replicas" };
const schema = builtInSchema("autoscaling", "v1", "Scale") as Schema;
const time = "2026-01-01T00:00:00Z";
const entry = (
  manager: string,
  operation: "Apply" | "Update",
  fieldsV1: ManagedFields["fieldsV1"] = {},
): ManagedFields => ({
  manager,
  operation,
  apiVersion: "apps/v1",
  time,
  fieldsType: "FieldsV1",
  fieldsV1,
});
const replicas = { "f:spec": { "f:replicas": {} } };

const entries = [
  entry("applier", "Apply", replicas),
  entry("creator", "Update", { "f:spec": { "f:replicas": {}, "f:paused": {} } }),
  entry("other", "Update", { "f:metadata": { "f:labels": {} } }),
];

const scale = (count: number): AnyObject => ({
  apiVersion: "autoscaling/v1",
  kind: "Scale",
  metadata: { name: "d", uid: "u", managedFields: managedFieldsOfScale(entries, parent) },
  spec: { replicas: count },
});

test("a Scale shows who owns the replicas", () => {
  assert.deepEqual(
    managedFieldsOfScale(entries, parent).map(({ manager, apiVersion, fieldsV1 }) => [manager, apiVersion, fieldsV1]),
    [
      ["applier", "autoscaling/v1", replicas],
      ["creator", "autoscaling/v1", replicas],
    ],
  );
});

test("who scales takes the replicas from all others", () => {
  const after = trackUpdate({
    live: scale(1),
    next: scale(2),
    schema,
    manager: "kubectl",
    subresource: "scale",
    now: 0,
  });
  assert.deepEqual(mergeScaleManagedFields(entries, after, parent), [
    {
      manager: "kubectl",
      operation: "Update",
      apiVersion: "apps/v1",
      fieldsType: "FieldsV1",
      fieldsV1: replicas,
      subresource: "scale",
    },
    entry("creator", "Update", { "f:spec": { "f:paused": {} } }),
    entry("other", "Update", { "f:metadata": { "f:labels": {} } }),
  ]);
});

test("a Scale written as it was changes no owner", () => {
  const after = trackUpdate({
    live: scale(1),
    next: scale(1),
    schema,
    manager: "kubectl",
    subresource: "scale",
    now: 0,
  });
  assert.deepEqual(mergeScaleManagedFields(entries, after, parent), entries);
});
