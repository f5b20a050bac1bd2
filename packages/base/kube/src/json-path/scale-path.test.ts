import assert from "node:assert/strict";
import { test } from "node:test";
import { deepFreeze } from "@trivium/std";
import { readScalePath, writeScalePath } from "./scale-path.ts";

const object = deepFreeze({ apiVersion: "a/v1", kind: "A", metadata: {}, spec: { replicas: 2, other: 1 } });

test("scale paths are read and written without touching the object", () => {
  assert.equal(readScalePath(object, ".spec.replicas"), 2);
  assert.equal(readScalePath(object, ".spec.missing.deep"), undefined);
  assert.deepEqual(writeScalePath(object, ".spec.replicas", 5), { ...object, spec: { replicas: 5, other: 1 } });
  assert.deepEqual(writeScalePath(object, ".status.made.here", 1), { ...object, status: { made: { here: 1 } } });
  assert.equal(object.spec.replicas, 2);
  assert.throws(() => readScalePath(object, ".spec..x"), /field names joined by dots/);
});
