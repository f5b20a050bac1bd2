import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { HorizontalPodAutoscaler, Pod } from "@trivium/kube";
import { violationsOf } from "@trivium/testkit";
import { limit } from "./limits.ts";
import { readMemory, remember } from "./memory.ts";
import type { ObservedAutoscaler } from "./observe.ts";
import { autoscalerReconciler } from "./reconciler.ts";

const now = Date.UTC(2026, 0, 1);
const reconciler = autoscalerReconciler();
const autoscaler = (spec: Partial<HorizontalPodAutoscaler["spec"]> = {}, memory?: object): HorizontalPodAutoscaler => ({
  apiVersion: "autoscaling/v2",
  kind: "HorizontalPodAutoscaler",
  metadata: {
    name: "web",
    namespace: "default",
    ...(memory === undefined ? {} : { annotations: { "trivium.dev/autoscaler-memory": JSON.stringify(memory) } }),
  },
  spec: {
    maxReplicas: 10,
    scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
    metrics: [{ type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } } }],
    ...spec,
  },
});
const pod = (name: string): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: "default" },
  spec: { containers: [{ name: "c", resources: { requests: { cpu: "100m" } } }] },
  status: { phase: "Running", startTime: "2025-01-01T00:00:00Z", conditions: [{ type: "Ready", status: "True" }] },
});
const observed = (usage: Record<string, number>, replicas = 2): ObservedAutoscaler => ({
  target: { is: "known", value: { wanted: replicas, there: replicas, selector: {} } },
  resource: "deployments.apps",
  pods: ["a", "b"].map(pod),
  measured: { 0: { is: "known", value: usage } },
});
const desired = (object: HorizontalPodAutoscaler, facts: ObservedAutoscaler) => {
  const decision = reconciler.decide(object, facts, now);
  return decision.do === "release" ? undefined : decision.status.desiredReplicas;
};

describe("how many", () => {
  const cases: [string, Record<string, number>, number][] = [
    ["more than wanted", { a: 80, b: 80 }, 4],
    ["about as wanted", { a: 52, b: 56 }, 2],
    ["one that says nothing counts as idle when there is much to do", { a: 90 }, 2],
    ["one that says nothing counts as full when there is little to do", { a: 10 }, 2],
    ["much more: twice as many at most, but four", { a: 900, b: 900 }, 4],
  ];
  for (const [name, usage, want] of cases) test(name, () => assert.equal(desired(autoscaler(), observed(usage)), want));
});

test("a share of a request that nobody made is no number: it says so and scales nothing", () => {
  const silent = { ...pod("a"), spec: { containers: [{ name: "c" }, { name: "side" }] } };
  const facts = { ...observed({ a: 50, b: 50 }), pods: [silent, pod("b")] };
  const decision = reconciler.decide(autoscaler(), facts, now);
  const patches = decision.do === "converge" ? (decision.patches ?? []) : [];
  assert.deepEqual(
    patches.filter(({ patch }) => patch === "scale"),
    [],
  );
  const conditions = decision.do === "release" ? [] : (decision.status.conditions ?? []);
  const active = conditions.find(({ type }) => type === "ScalingActive");
  assert.match(active?.message ?? "", /missing request for cpu in container c of Pod a/);
});

describe("held back", () => {
  const request = (object: HorizontalPodAutoscaler, current: number, wanted: number) =>
    limit({ autoscaler: object, memory: readMemory(object), current, wanted, now });
  test("by what was recommended within five minutes", () => {
    const recent = {
      recommended: [
        [now - 900_000, 9],
        [now - 200_000, 2],
      ],
      changed: [],
    };
    const { replicas, able, changesAt } = request(autoscaler({}, recent), 9, 2);
    assert.deepEqual([replicas, able.reason, changesAt], [9, "ScaleDownStabilized", now + 100_000]);
    const old = {
      recommended: [
        [now - 900_000, 9],
        [now - 300_000, 2],
      ],
      changed: [],
    };
    assert.equal(request(autoscaler({}, old), 9, 2).replicas, 2);
  });
  test("by a rate, of which what changed lately is part", () => {
    const scaleUp = { policies: [{ type: "Pods", value: 3, periodSeconds: 60 }] };
    const memory = { recommended: [], changed: [[now - 20_000, 2]] };
    const { replicas, limited, changesAt } = request(autoscaler({ behavior: { scaleUp } }, memory), 4, 9);
    assert.deepEqual([replicas, limited.reason, changesAt], [5, "ScaleUpLimit", now + 40_000]);
    assert.equal(request(autoscaler({ behavior: { scaleUp: { selectPolicy: "Disabled" } } }), 4, 9).replicas, 4);
  });
});

test("only changes are remembered, and not for ever", () => {
  const once = remember({ recommended: [], changed: [] }, 1_000, 3, 0);
  assert.deepEqual(remember(once, 2_000, 3, 0), once);
  const later = remember(remember(once, 2_000, 4, 1), 10_000_000, 5, 1);
  assert.deepEqual(later, {
    recommended: [
      [2_000, 4],
      [10_000_000, 5],
    ],
    changed: [[10_000_000, 1]],
  });
  assert.deepEqual(
    readMemory({ ...autoscaler(), metadata: { annotations: { "trivium.dev/autoscaler-memory": "{" } } }),
    { recommended: [], changed: [] },
  );
});

test("the laws", () => {
  const memory = { recommended: [[now - 900_000, 2]], changed: [] };
  const cases = [
    { name: "content", object: autoscaler({}, memory), observed: observed({ a: 50, b: 50 }), now },
    { name: "above the most", object: autoscaler({ maxReplicas: 1 }), observed: observed({ a: 50, b: 50 }), now },
    {
      name: "no metrics",
      object: autoscaler(),
      observed: { ...observed({}), measured: { 0: { is: "unreachable", why: "down" } as const } },
      now,
    },
    { name: "no target", object: autoscaler(), observed: { ...observed({}), target: { is: "absent" } as const }, now },
  ];
  const words = {
    conditions: {
      AbleToScale: ["SucceededGetScale", "FailedGetScale", "ReadyForNewScale", "SucceededRescale"],
      ScalingActive: ["ValidMetricFound", "FailedGetResourceMetric"],
      ScalingLimited: ["DesiredWithinRange"],
    },
    notes: ["FailedGetScale", "SuccessfulRescale", "FailedGetResourceMetric", "FailedComputeMetricsReplicas"],
  };
  const broken = violationsOf(reconciler, cases, words);
  // Time alone makes a fresh entry of its memory differ, and only that: a change of scale is written with the time it was made.
  assert.deepEqual(
    broken.filter(({ law, case: name }) => !(law === "clock" && name === "above the most")),
    [],
  );
});
