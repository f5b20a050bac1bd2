import assert from "node:assert/strict";
import { test } from "node:test";
import type { Pod, PodDisruptionBudget } from "@trivium/kube";
import type { Decision } from "@trivium/reconcile";
import { absent, known } from "@trivium/std";
import { type Case, type Vocabulary, violationsOf } from "@trivium/testkit";
import { before, head, now, pod, replicaSet, selector, uidOf } from "../pods/world.fixture.ts";
import { disruptionBudgetReconciler, type ObservedBudget } from "./reconciler.ts";

type Status = NonNullable<PodDisruptionBudget["status"]>;
type Hold = Extract<Decision<Status>, { do: "hold" }>;

const budget = (spec: PodDisruptionBudget["spec"], status?: Status): PodDisruptionBudget => ({
  apiVersion: "policy/v1",
  kind: "PodDisruptionBudget",
  metadata: head("web"),
  spec: { selector, ...spec },
  ...(status && { status }),
});
const owner = replicaSet("set");
const observed = (pods: readonly Pod[], replicas?: number): ObservedBudget => ({
  pods,
  scales: replicas === undefined ? {} : { [uidOf("set")]: known({ of: "deployment", replicas }) },
});
const ready = (name: string) => pod(name, { owner, ready: 5 });
const decide = (object: PodDisruptionBudget, world: ObservedBudget, at = now): Hold =>
  disruptionBudgetReconciler.decide(object, world, at) as Hold;
const allowed = ({ status }: Hold) => [
  status.expectedPods,
  status.desiredHealthy,
  status.currentHealthy,
  status.disruptionsAllowed,
];

test("how many may be missing: expected, desired, healthy, allowed", () => {
  const pods = [ready("a"), ready("b"), pod("c", { owner })];
  assert.deepEqual(allowed(decide(budget({ minAvailable: 1 }), observed(pods))), [3, 1, 2, 1]);
  assert.deepEqual(allowed(decide(budget({ minAvailable: 2 }), observed(pods))), [3, 2, 2, 0]);
  assert.deepEqual(allowed(decide(budget({ minAvailable: "50%" }), observed(pods, 3))), [3, 2, 2, 0]);
  assert.deepEqual(allowed(decide(budget({ maxUnavailable: 1 }), observed(pods, 3))), [3, 2, 2, 0]);
  assert.deepEqual(
    allowed(decide(budget({ maxUnavailable: "50%" }), observed(pods, 3))),
    [3, 1, 2, 1],
    "half of three, rounded up",
  );
  assert.deepEqual(allowed(decide(budget({ maxUnavailable: 5 }), observed(pods, 3))), [3, 0, 2, 2]);
  const ending = [ready("a"), pod("b", { owner, ready: 5, isEnding: true })];
  assert.deepEqual(
    allowed(decide(budget({ minAvailable: 1 }), observed(ending))),
    [2, 1, 1, 0],
    "one on its way out is missed already",
  );
});

test("no pods, pods of nobody, and pods of somebody unknown are told", () => {
  assert.deepEqual(
    decide(budget({ minAvailable: 1 }), observed([])).notes?.map(({ message }) => message),
    ["No matching pods found"],
  );
  assert.deepEqual(
    decide(budget({ maxUnavailable: 1 }), observed([pod("a")])).notes?.map(({ reason }) => reason),
    ["UnmanagedPods"],
  );
  const lost = decide(budget({ maxUnavailable: 1 }), { pods: [ready("a")], scales: { [uidOf("set")]: absent } });
  assert.deepEqual(
    [lost.status.disruptionsAllowed, lost.status.conditions?.[0]?.reason, lost.status.conditions?.[0]?.message],
    [0, "SyncFailed", 'found no controllers for pod "a"'],
  );
});

test("a pod given up to an eviction is missed until it is gone, or two minutes have passed", () => {
  const evicted = budget({ minAvailable: 1 }, { disruptedPods: { a: before(20), gone: before(20) } });
  const world = observed([ready("a"), ready("b")]);
  const decision = decide(evicted, world);
  assert.deepEqual(
    [decision.status.disruptedPods, decision.status.currentHealthy, decision.recheckIn],
    [{ a: before(20) }, 1, 100_000],
  );
  const later = decide(evicted, world, now + 100_001);
  assert.deepEqual([later.status.disruptedPods, later.status.currentHealthy], [undefined, 2]);
});

test("the laws hold", () => {
  const world = (
    name: string,
    object: PodDisruptionBudget,
    more: ObservedBudget,
  ): Case<PodDisruptionBudget, ObservedBudget> => ({ name, object, observed: more, now });
  const cases = [
    world("number", budget({ minAvailable: 1 }), observed([ready("a"), ready("b")])),
    world("share", budget({ maxUnavailable: "50%" }), observed([ready("a"), ready("b")], 2)),
    world(
      "evicting",
      budget({ minAvailable: 1 }, { disruptedPods: { a: before(20) } }),
      observed([ready("a"), ready("b")]),
    ),
    world("unknown", budget({ maxUnavailable: 1 }), { pods: [ready("a")], scales: { [uidOf("set")]: absent } }),
  ];
  const words: Vocabulary = {
    conditions: { DisruptionAllowed: ["SufficientPods", "InsufficientPods", "SyncFailed"] },
    notes: ["NoPods", "UnmanagedPods", "CalculateExpectedPodCountFailed"],
  };
  assert.deepEqual(violationsOf(disruptionBudgetReconciler, cases, words), []);
});
