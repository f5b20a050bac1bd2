import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { ServicePlan, WorkloadPlan } from "@trivium/domain";
import { parseServingAnnotations, planCanary } from "./index.ts";
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
const input: CanaryInput = { percent: 30, workload, address, template: "new", live: "old" };

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
      { name: "chat-canary", port: 80, weight: 0 },
    ]);
  });
  test("gets its share once pods of the newest template are ready", () => {
    const ready = planCanary({ ...input, canary: { template: "new", isAvailable: true } });
    assert.deepEqual(
      ready?.backends.map(({ weight }) => weight),
      [70, 30],
    );
    const older = planCanary({ ...input, canary: { template: "before", isAvailable: true } });
    assert.deepEqual(
      older?.backends.map(({ weight }) => weight),
      [100, 0],
    );
  });
  test("ends when the new template is rolled out, or the old one is back", () => {
    for (const more of [{ percent: undefined }, { percent: 100 }, { live: "new" }, { live: undefined }])
      assert.equal(planCanary({ ...input, ...more }), undefined, JSON.stringify(more));
    assert.equal(planCanary({ ...input, workload: { ...workload, replicas: 0 } }), undefined);
  });
  test("0 percent runs one pod without requests", () => {
    const plan = planCanary({ ...input, percent: 0, canary: { template: "new", isAvailable: true } });
    assert.equal(plan?.workload.replicas, 1);
    assert.deepEqual(
      plan?.backends.map(({ weight }) => weight),
      [100, 0],
    );
  });
  test("names of the dialect", () => {
    const names = { address: "chat-canary-svc", selector: { app: "x" } };
    const plan = planCanary({ ...input, names });
    assert.equal(plan?.address.name, "chat-canary-svc");
    assert.deepEqual(plan?.address.selector, { app: "x" });
  });
});

describe("annotations of a service", () => {
  const rows: readonly [Record<string, string>, object][] = [
    [{}, {}],
    [{ "trivium.dev/canary-percent": "10" }, { canaryPercent: 10 }],
    [{ "trivium.dev/idle-timeout": "15m" }, { idleSeconds: 900 }],
    [{ "trivium.dev/prompt-cache": "redis-a" }, { promptCache: { is: "shared", service: "redis-a", port: 6379 } }],
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
  ];
  for (const [key, value] of wrong)
    test(`${key}=${value} has no effect`, () => {
      const { faults, adapters, ...rest } = parseServingAnnotations({ [key]: value });
      assert.equal(faults.length, 1);
      assert.ok(faults[0]?.includes(key));
      assert.deepEqual(adapters, []);
      assert.deepEqual(Object.values(rest), [undefined, undefined, undefined, undefined]);
    });
});
