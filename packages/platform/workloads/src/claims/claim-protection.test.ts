import assert from "node:assert/strict";
import { test } from "node:test";
import type { PersistentVolumeClaim } from "@trivium/kube";
import { violationsOf } from "@trivium/testkit";
import { claimProtectionReconciler } from "./claim-protection.ts";

const claim = (deletionTimestamp?: string): PersistentVolumeClaim => ({
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: { name: "data", namespace: "default", ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }) },
  spec: {},
});
const cases = [
  { name: "in use", object: claim(), observed: { users: [] }, now: 0 },
  { name: "deleted while used", object: claim("2026-11-01T12:00:00Z"), observed: { users: ["a"] }, now: 0 },
  { name: "deleted and free", object: claim("2026-11-01T12:00:00Z"), observed: { users: [] }, now: 0 },
];

test("a claim that is deleted waits for its users", () => {
  const decisions = cases.map(
    ({ object, observed, now }) => claimProtectionReconciler.decide(object, observed, now).do,
  );
  assert.deepEqual(decisions, ["converge", "hold", "release"]);
  assert.deepEqual(violationsOf(claimProtectionReconciler, cases), []);
});
