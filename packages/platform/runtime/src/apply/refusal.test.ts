import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError, ConfigMap } from "@trivium/kube";
import type { Child } from "./child.ts";
import { fail, failChild } from "./refusal.ts";
import type { WriteContext } from "./write-context.ts";

const ending = new ApiError({
  apiVersion: "v1",
  kind: "Status",
  metadata: {},
  status: "Failure",
  code: 403,
  reason: "Forbidden",
  message: 'configmaps "a" is forbidden: unable to create new content in namespace team because it is being terminated',
  details: { causes: [{ reason: "NamespaceTerminating", message: "namespace team is being terminated" }] },
});

function failed(ownerNamespace: string | undefined, error: unknown) {
  const metadata = { name: "owner", ...(ownerNamespace === undefined ? {} : { namespace: ownerNamespace }) };
  const report = { failures: [] as Error[], notes: [] as unknown[] };
  const context = { object: { apiVersion: "v1", kind: "Owner", metadata }, report } as unknown as WriteContext;
  fail(context, { kind: ConfigMap, ref: { namespace: "team", name: "a" } }, error);
  return [report.failures.length, report.notes.length];
}

test("what cannot be made because the namespace goes, and the owner with it, is no failure", () => {
  assert.deepEqual(failed("team", ending), [0, 0]);
  assert.deepEqual(failed(undefined, ending), [1, 1], "an owner that stays tries again");
  assert.deepEqual(failed("team", new Error("no connection")), [1, 0]);
});

/** What the server answers to a child, and how many refusals and failures come of it. */
function refused(code: number, message: string, reason?: "InternalError" | "Invalid") {
  const error = new ApiError({
    apiVersion: "v1",
    kind: "Status",
    metadata: {},
    status: "Failure",
    code,
    message,
    ...(reason === undefined ? {} : { reason }),
  });
  const report = { failures: [] as Error[], notes: [] as unknown[], refusals: [] as unknown[] };
  const context = { object: { apiVersion: "v1", kind: "Owner", metadata: { name: "owner" } }, report };
  const child = { kind: ConfigMap, ref: { namespace: "team", name: "a" }, desired: {} };
  failChild(context as unknown as WriteContext, child as unknown as Child, error);
  return [report.refusals.length, report.failures.length];
}

test("of the server's own errors only a webhook that cannot be called is a refusal; the others are retried", () => {
  const webhook = 'Internal error occurred: failed calling webhook "deny.example": connection refused';
  assert.deepEqual(refused(500, webhook, "InternalError"), [1, 1]);
  assert.deepEqual(refused(500, "Internal error occurred: etcdserver: leader changed", "InternalError"), [0, 1]);
  assert.deepEqual(refused(503, "apiserver is shutting down"), [0, 1]);
  assert.deepEqual(refused(422, "spec.x: Invalid value", "Invalid"), [1, 1]);
});
