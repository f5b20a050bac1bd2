import assert from "node:assert/strict";
import { test } from "node:test";
import type { Pod, ReplicaSet } from "@trivium/kube";
import type { Decision } from "@trivium/reconcile";
import { type Case, type Vocabulary, violationsOf } from "@trivium/testkit";
import { nextPodNames } from "../pods/pod-name.ts";
import { now, pod, replicaSet, summarize } from "../pods/world.fixture.ts";
import { type ObservedReplicaSet, replicaSetReconciler } from "./reconciler.ts";

const set = (size: number, minReadySeconds = 0): ReplicaSet => {
  const { status: _, ...made } = replicaSet("web", { size });
  return { ...made, spec: { ...made.spec, minReadySeconds } };
};
const observed = (own: readonly Pod[], orphans: readonly Pod[] = [], onNode = {}): ObservedReplicaSet => ({
  pods: { own, orphans },
  onNode,
});
const owner = set(3);
const names = nextPodNames("web", owner.metadata.uid ?? "", new Set(), 4);
const [first = "", second = "", third = ""] = names;

type Converge = Extract<Decision<NonNullable<ReplicaSet["status"]>>, { do: "converge" }>;
const decide = (object: ReplicaSet, world: ObservedReplicaSet): Converge =>
  replicaSetReconciler.decide(object, world, now) as Converge;

test("missing pods are made under names that come from the owner, and skip those that are taken", () => {
  assert.deepEqual(summarize(decide(owner, observed([]))), [`+${first}`, `+${second}`, `+${third}`].sort());
  assert.match(first, /^web-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
  const ending = pod(first, { owner, ready: 60, isEnding: true });
  const decision = decide(set(1), observed([ending]));
  assert.deepEqual(summarize(decision), [`+${second}`], "the name of a pod that is ending does not block the next one");
  assert.deepEqual([decision.status.replicas, decision.status.terminatingReplicas], [0, 1]);
});

test("pods at their end are left for others to look at, and replaced", () => {
  const failed = pod(first, { owner, phase: "Failed" });
  assert.deepEqual(summarize(decide(set(1), observed([failed]))), [`+${second}`, `=${first}`].sort());
});

test("too many pods: those of least use go first", () => {
  const pods = [
    pod("web-old", { owner, ready: 900 }),
    pod("web-new", { owner, ready: 10 }),
    pod("web-unready", { owner }),
    pod("web-homeless", { owner, node: "", phase: "Pending" }),
    pod("web-cheap", { owner, ready: 900, annotations: { "controller.kubernetes.io/pod-deletion-cost": "-5" } }),
    pod("web-crowded", { owner, ready: 900, node: "node-b" }),
  ];
  const order: string[] = [];
  for (let size = 5; size >= 1; size -= 1) {
    const staying = pods.filter(({ metadata }) => !order.includes(metadata.name ?? ""));
    const kept = summarize(decide(set(size), observed(staying, [], { "node-a": 1, "node-b": 2 }))).map((name) =>
      name.slice(1),
    );
    order.push(...staying.map(({ metadata }) => metadata.name ?? "").filter((name) => !kept.includes(name)));
  }
  assert.deepEqual(order, ["web-homeless", "web-unready", "web-cheap", "web-crowded", "web-new"]);
});

test("orphans that fit are taken in, and pods that no longer fit are let go", () => {
  const orphan = pod("stray", { ready: 5 });
  const relabelled = pod("other", { owner, labels: { app: "other" } });
  const decision = decide(set(1), observed([relabelled], [orphan]));
  assert.deepEqual(summarize(decision), ["=stray"]);
  assert.deepEqual(
    decision.patches?.map((patch) => (patch.patch === "owners" ? [patch.ref.name, patch.remove] : patch)),
    [["other", [owner.metadata.uid]]],
  );
});

test("an orphan that is too many is taken in before it goes", () => {
  const orphan = pod("stray", { ready: 5 });
  const own = pod("own", { owner, ready: 900 });
  const decision = decide(set(1), observed([own], [orphan]));
  assert.deepEqual([summarize(decision), decision.notes], [["=own", "=stray"], []]);
  const adopted = pod("stray", { owner, ready: 5 });
  assert.deepEqual(summarize(decide(set(1), observed([own, adopted]))), ["=own"]);
});

test("a pod counts as available after it was ready for long enough, and time alone wakes the set", () => {
  const decision = decide(set(2, 30), observed([pod("a", { owner, ready: 31 }), pod("b", { owner, ready: 10 })]));
  assert.deepEqual(decision.status, {
    replicas: 2,
    fullyLabeledReplicas: 2,
    readyReplicas: 2,
    availableReplicas: 1,
    observedGeneration: 1,
    terminatingReplicas: 0,
  });
  assert.equal(decision.recheckIn, 20_000);
});

test("the laws hold", () => {
  const cases: Case<ReplicaSet, ObservedReplicaSet>[] = [
    { name: "new", object: set(3), observed: observed([]), now },
    {
      name: "shrinking",
      object: set(1),
      observed: observed([pod("a", { owner, ready: 5 }), pod("b", { owner, ready: 5 }), pod("c", { owner })]),
      now,
    },
    {
      name: "waiting",
      object: set(2, 60),
      observed: observed([pod("a", { owner, ready: 5 }), pod("b", { owner, ready: 90 })]),
      now,
    },
    {
      name: "mixed",
      object: set(4),
      observed: observed(
        [
          pod("a", { owner, phase: "Failed" }),
          pod("b", { owner, isEnding: true }),
          pod("x", { owner, labels: { app: "x" } }),
        ],
        [pod("o")],
      ),
      now,
    },
  ];
  const words: Vocabulary = { conditions: {}, notes: ["SuccessfulDelete"] };
  assert.deepEqual(violationsOf(replicaSetReconciler, cases, words), []);
});

test("a pod that the API server refuses stands in the condition that Deployments repeat", () => {
  const message = 'pods "a-x" is forbidden: exceeded quota: team';
  const refusal = { child: { kind: "Pod", name: "a-x" }, reason: "Forbidden", code: 403, message, causes: [] };
  const status = replicaSetReconciler.refused?.({} as ReplicaSet, { replicas: 0 }, [refusal], 0);
  assert.deepEqual(status, {
    replicas: 0,
    conditions: [{ type: "ReplicaFailure", status: "True", reason: "FailedCreate", message }],
  });
});
