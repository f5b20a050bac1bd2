import assert from "node:assert/strict";
import { test } from "node:test";
import type { Kind } from "@trivium/kube";
import type { AnyReconciler } from "./shape.ts";
import { leaveUnmanaged } from "./unmanaged.ts";

const kind = {
  group: "g.example",
  version: "v1",
  kind: "Thing",
  plural: "things",
  namespaced: true,
} as unknown as Kind;
const acting: AnyReconciler = {
  name: "g.thing",
  kind,
  finalizer: "g.example/held",
  reads: [kind],
  writes: [kind],
  observe: () => assert.fail("nothing is read"),
  decide: () => assert.fail("nothing is decided"),
};
const left = leaveUnmanaged(acting, { summary: "Ready" }, "g.example is not run");
const decide = (object: object) =>
  left.decide({ apiVersion: "g.example/v1", kind: "Thing", ...object } as never, {}, 0);

test("what was ready is not known to be, and nothing else is touched", () => {
  const progressing = { type: "Progressing", status: "False", reason: "Done", message: "" };
  const status = {
    phase: "Ready",
    replicas: 2,
    conditions: [{ type: "Ready", status: "True", reason: "Ready", message: "" }, progressing],
  };
  assert.deepEqual(decide({ metadata: { name: "a", generation: 3 }, status }), {
    do: "hold",
    status: {
      replicas: 2,
      conditions: [
        progressing,
        {
          type: "Ready",
          status: "Unknown",
          reason: "NotManaged",
          message: "g.example is not run",
          observedGeneration: 3,
        },
      ],
    },
  });
});

test("an object without a status gets one, and one that is deleted is not released", () => {
  const decision = decide({ metadata: { name: "a", deletionTimestamp: "2026-01-01T00:00:00Z" } });
  assert.equal(decision.do, "hold");
  assert.deepEqual([left.reads, left.writes, left.name, left.finalizer], [[], [], "g.thing", undefined]);
});
