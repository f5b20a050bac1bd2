import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { ObservedPod, ServicePlan, WorkloadPlan } from "@trivium/domain";
import { type Instant, known } from "@trivium/std";
import { describeCanary, type ObservedCanary, parseServingAnnotations, planCanary } from "./index.ts";
import type { CanaryInput } from "./plan-canary.ts";

const labels = { app: "chat", team: "a" };
const workload: WorkloadPlan = {
  name: "chat",
  labels,
  selector: { app: "chat" },
  pod: { labels, annotations: {}, spec: { containers: [] } },
  replicas: 4,
  update: "roll",
};
const address: ServicePlan = {
  name: "chat",
  labels,
  selector: { app: "chat" },
  type: "ClusterIP",
  ports: [{ name: "http", port: 80, target: 8080 }],
};
const names = { workload: "chat-canary", address: "chat-canary-svc", selector: { app: "chat-canary" } };
const input: CanaryInput = {
  percent: 30,
  workload,
  address,
  template: "new",
  live: "old",
  observed: undefined,
  names,
};
const pod = (template: string): ObservedPod => ({
  name: `chat-canary-${template}`,
  phase: "Running",
  isReady: true,
  isLeaving: false,
  template,
  containers: [],
});
const ours = known({ isOurs: true } as const);
const observed = (...pods: ObservedPod[]): ObservedCanary => ({ workload: ours, address: ours, pods });
const weightsOf = (more: Partial<CanaryInput>) =>
  planCanary({ ...input, ...more })?.backends.map(({ weight }) => weight);
const now = 0 as Instant;

describe("a canary", () => {
  test("runs beside what is rolled out, and gets no requests before it is ready", () => {
    const plan = planCanary(input);
    assert.equal(plan?.workload.name, "chat-canary");
    assert.equal(plan?.workload.replicas, 2);
    assert.deepEqual(plan?.workload.selector, { app: "chat-canary" });
    assert.deepEqual(plan?.workload.pod.labels, { app: "chat-canary", team: "a" });
    assert.equal(plan?.isUp, false);
    assert.deepEqual(plan?.backends, [
      { name: "chat", port: 80, weight: 100 },
      { name: "chat-canary-svc", port: 80, weight: 0 },
    ]);
  });
  test("gets its share once pods of the newest template are ready", () => {
    assert.deepEqual(weightsOf({ observed: observed(pod("new")) }), [70, 30]);
    const crashing = { ...pod("new"), isReady: false };
    const leaving = { ...pod("new"), isLeaving: true };
    for (const pods of [[pod("before")], [pod("before"), crashing], [leaving]])
      assert.deepEqual(weightsOf({ observed: observed(...pods) }), [100, 0], JSON.stringify(pods));
  });
  test("is not created while an object of another owner has one of its names", () => {
    const owner = "InferenceService chat-canary";
    const other = known({ isOurs: false, owner } as const);
    const setting = "annotation trivium.dev/canary-percent";
    for (const [part, object] of [
      ["workload", "Deployment chat-canary"],
      ["address", "Service chat-canary-svc"],
    ] as const) {
      const plan = planCanary({ ...input, observed: { ...observed(pod("new")), [part]: other } });
      assert.ok(plan);
      assert.equal(plan.isUp, false);
      assert.deepEqual(plan.backends, [{ name: "chat", port: 80, weight: 100 }]);
      assert.deepEqual(describeCanary(plan, { paths: {}, now }), {
        status: "False",
        reason: "CanaryNameTaken",
        message: `The new spec is not tried out: ${object} is already used by ${owner}; delete or rename ${owner}, or remove ${setting} to roll the spec out`,
      });
    }
  });
  test("ends when the new template is rolled out, or the old one is back", () => {
    for (const more of [{ percent: undefined }, { percent: 100 }, { live: "new" }, { live: undefined }])
      assert.equal(planCanary({ ...input, ...more }), undefined, JSON.stringify(more));
    assert.equal(planCanary({ ...input, workload: { ...workload, replicas: 0 } }), undefined);
  });
  test("0 percent runs one pod without requests", () => {
    const plan = planCanary({ ...input, percent: 0, observed: observed(pod("new")) });
    assert.equal(plan?.workload.replicas, 1);
    assert.deepEqual(
      plan?.backends.map(({ weight }) => weight),
      [100, 0],
    );
  });
});

describe("annotations of a service", () => {
  const rows: readonly [Record<string, string>, object][] = [
    [{}, {}],
    [{ "trivium.dev/canary-percent": "10" }, { canaryPercent: 10 }],
    [{ "trivium.dev/idle-timeout": "15m" }, { idleSeconds: 900 }],
    [{ "trivium.dev/prompt-cache": "redis-a" }, { promptCache: { is: "shared", service: "redis-a", port: 6379 } }],
    [{ "trivium.dev/stopped": "true" }, { isStopped: true }],
    [{ "trivium.dev/stopped": "false" }, { isStopped: false }],
    [{ "trivium.dev/gateway": "main" }, { gateway: { name: "main" } }],
    [{ "trivium.dev/gateway": "infra/main" }, { gateway: { namespace: "infra", name: "main" } }],
    [{ "trivium.dev/adapters": "a=hf://o/r, b" }, { adapters: [{ name: "a", source: "hf://o/r" }, { name: "b" }] }],
  ];
  for (const [annotations, expected] of rows)
    test(JSON.stringify(annotations), () => {
      const { faults, ...found } = parseServingAnnotations(annotations);
      assert.deepEqual(faults, []);
      const nothing = {
        canaryPercent: undefined,
        idleSeconds: undefined,
        adapters: [],
        promptCache: undefined,
        gateway: undefined,
        isStopped: undefined,
      };
      assert.deepEqual(found, { ...nothing, ...expected });
    });

  const wrong: readonly [string, string][] = [
    ["trivium.dev/canary-percent", "101"],
    ["trivium.dev/canary-percent", "-1"],
    ["trivium.dev/canary-percent", "ten"],
    ["trivium.dev/idle-timeout", "soon"],
    ["trivium.dev/idle-timeout", "0s"],
    ["trivium.dev/adapters", "a,a"],
    ["trivium.dev/adapters", "a=,b"],
    ["trivium.dev/adapters", "..=hf://o/r"],
    ["trivium.dev/adapters", ""],
    ["trivium.dev/prompt-cache", "../x"],
    ["trivium.dev/gateway", "../main"],
    ["trivium.dev/gateway", "a/b/c"],
    ["trivium.dev/gateway", "a.b/main"],
    ["trivium.dev/gateway", ""],
    ["trivium.dev/stopped", ""],
    ["trivium.dev/stopped", "yes"],
    ["trivium.dev/stopped", "x".repeat(100_000)],
  ];
  for (const [key, value] of wrong)
    test(`${key}=${value.slice(0, 20)} has no effect`, () => {
      const { faults, adapters, ...rest } = parseServingAnnotations({ [key]: value });
      assert.equal(faults.length, 1);
      assert.ok(faults[0]?.includes(key));
      assert.deepEqual(adapters, []);
      assert.deepEqual(Object.values(rest), [undefined, undefined, undefined, undefined, undefined]);
    });
});
