import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError, ConfigMap } from "@trivium/kube";
import { fail } from "./refusal.ts";
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
