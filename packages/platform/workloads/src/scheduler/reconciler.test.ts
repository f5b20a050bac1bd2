import assert from "node:assert/strict";
import { test } from "node:test";
import type { Namespace } from "@trivium/kube";
import { violationsOf } from "@trivium/testkit";
import { schedulerReconciler } from "./reconciler.ts";
import { node, pod, snapshot } from "./snapshot/snapshot.fixture.ts";

const system: Namespace = {
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name: "kube-system" },
  status: { phase: "Active" },
};
const gpu = { "nvidia.com/gpu": "1" };
const crowded = snapshot(
  [node("a", { allocatable: gpu }), node("b")],
  [
    pod("x", { on: "a", requests: gpu }),
    pod("p"),
    pod("q", { requests: gpu }),
    pod("boss", { requests: gpu, spec: { priority: 9 } }),
  ],
);

test("the laws", () => {
  const cases = [
    { name: "crowded", object: system, observed: crowded, now: 0 },
    { name: "empty", object: system, observed: snapshot([], []), now: 0 },
  ];
  assert.deepEqual(violationsOf(schedulerReconciler, cases, { conditions: {} }), []);
});

test("the order of what is found does not matter, the order of what is done does", () => {
  const patches = (observed: typeof crowded) => {
    const decision = schedulerReconciler.decide(system, observed, 0);
    return decision.do === "converge" ? decision.patches : undefined;
  };
  assert.deepEqual(
    patches({ ...crowded, nodes: crowded.nodes.toReversed(), pods: crowded.pods.toReversed() }),
    patches(crowded),
  );
  assert.deepEqual(
    patches(crowded)?.map((patch) => `${patch.patch} ${"ref" in patch ? patch.ref.name : ""}`),
    ["status x", "delete x", "status boss", "bind p", "status q"],
  );
});
