import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { RoleScaling, ScaledPlan, ScalingPlan } from "@trivium/domain";
import { type InstalledScalers, planReplicas, planScaling, type ScalingRequest } from "./plan-scaling.ts";

const target = { apiVersion: "apps/v1", kind: "Deployment", name: "chat" };
const hpa: ScalingPlan = { name: "chat", labels: {}, target, min: 1, max: 3, metrics: [] };
const plan: ScaledPlan = { name: "chat-scaler", labels: {}, target, min: 0, max: 3, triggers: [] };
const collector = { name: "c", labels: {}, port: 80, marks: {}, metricNames: [], sendTo: "x" };
const installed: InstalledScalers = { hasKeda: true, isElsewhere: false, hasFormer: false, isMeasured: true };
const withoutKeda = "KEDA is not installed; install it";
const request: ScalingRequest = { scaler: "keda", hpa, keda: { plan }, installed, withoutKeda, instead: "nothing" };

describe("who scales", () => {
  const rows: readonly [string, Partial<ScalingRequest>, Partial<InstalledScalers>, RoleScaling][] = [
    ["nothing", { scaler: "none" }, {}, { is: "fixed" }],
    ["an autoscaler of the user", { scaler: "external" }, {}, { is: "fixed" }],
    ["KServe", {}, { isElsewhere: true }, { is: "elsewhere" }],
    ["Kubernetes", { scaler: "hpa" }, {}, { is: "hpa", plan: hpa }],
    [
      "Kubernetes, which cannot measure it",
      { scaler: "hpa", hpa: { why: "metric rps is not supported" } },
      {},
      { is: "unavailable", why: "metric rps is not supported" },
    ],
    ["KEDA", {}, {}, { is: "keda", plan }],
    ["KEDA with a collector", { keda: { plan, collector } }, {}, { is: "keda", plan, collector }],
    ["KEDA, once the former autoscaler is gone", {}, { hasFormer: true }, { is: "switching", plan }],
    ["KEDA, which is not installed", {}, { hasKeda: false }, { is: "unavailable", why: withoutKeda, kept: plan }],
    ["KEDA, without what it measures", {}, { isMeasured: false }, { is: "unavailable", why: withoutKeda, kept: plan }],
    ["Kubernetes instead of KEDA", { instead: "hpa" }, { hasKeda: false }, { is: "hpa", plan: hpa }],
    ["KEDA without a trigger", { keda: undefined }, {}, { is: "hpa", plan: hpa }],
  ];
  for (const [name, more, there, expected] of rows)
    test(name, () =>
      assert.deepEqual(planScaling({ ...request, ...more, installed: { ...installed, ...there } }), expected),
    );
});

describe("how many replicas", () => {
  const bounds = { min: 1, max: 3 };
  const rows: readonly [string, Parameters<typeof planReplicas>[0], number][] = [
    ["as the spec requests", { bounds: { min: 2, max: 2 }, requested: 2, live: 5 }, 2],
    ["as the autoscaler chose", { bounds, requested: 1, live: 2 }, 2],
    ["at most the upper bound", { bounds, requested: 1, live: 9 }, 3],
    ["at least the lower bound", { bounds, requested: 1, live: 0 }, 1],
    ["before anything runs", { bounds, requested: 2, live: undefined }, 2],
    ["none where none are allowed", { bounds: { min: 0, max: 0 }, requested: 2, live: 2 }, 0],
  ];
  for (const [name, input, expected] of rows) test(name, () => assert.equal(planReplicas(input).current, expected));
});
