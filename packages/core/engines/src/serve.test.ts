import assert from "node:assert/strict";
import { test } from "node:test";
import type { RoleIntent, ServingIntent, ServingPod, SizingRequest } from "@trivium/domain";
import { serve } from "./serve.ts";
import { servingStyles } from "./sizing/index.ts";

const gibibyte = 1024 ** 3;
const now = Date.parse("2026-01-01T00:00:00Z") as ServingIntent["now"];

const role = (pods: readonly ServingPod[]): RoleIntent => ({
  name: "server",
  shape: {
    is: "deployment",
    workload: {
      name: "chat",
      labels: {},
      selector: {},
      pod: { labels: {}, annotations: {}, spec: { containers: [] } },
      replicas: 1,
      update: "roll",
    },
  },
  replicas: { min: 1, max: 1, current: 1 },
  scaling: { is: "fixed" },
  observed: { template: "new", pods, wasServing: false },
});

const sizing = (weightBytes: number): SizingRequest => ({
  model: { weightBytes },
  context: 4096,
  slots: 1,
  cache: { key: "f16", value: "f16" },
  split: { tensor: 1, pipeline: 1 },
  style: servingStyles.llamacpp,
  memory: { devices: [], host: { name: "node", bytes: 16 * gibibyte } },
});

const intent = (change: Partial<ServingIntent> = {}): ServingIntent => ({
  identity: { kind: "Service", namespace: "default", name: "chat" },
  choice: { of: "runtime", because: "the only one", candidates: [] },
  weights: { is: "placed" },
  roles: [role([])],
  claims: [],
  routes: [],
  paths: { memory: "spec.resources.memory" },
  now,
  ...change,
});

const large = {
  request: sizing(30 * gibibyte),
  subject: "Model large",
  field: "spec.memory",
  nodeBytes: 16 * gibibyte,
};

test("what can be planned is planned, with the health of each role", () => {
  const pod: ServingPod = {
    name: "a",
    phase: "Running",
    isReady: true,
    isLeaving: false,
    template: "new",
    containers: [],
  };
  const served = serve(intent({ roles: [role([pod])] }));
  assert.equal(served.is, "planned");
  if (served.is !== "planned") return;
  assert.deepEqual(served.plan.roles[0]?.health, { desired: 1, total: 1, ready: 1, answering: 1 });
  assert.equal(served.diagnosis, undefined);
});

test("weights that no node can load are blocked before anything is created, with what would fit", () => {
  const served = serve(intent({ sizing: { ...large, hasServed: false } }));
  assert.equal(served.is, "blocked");
  if (served.is !== "blocked") return;
  assert.match(served.blocker.cause, /Model large needs 30\.0Gi, and the largest node has 16\.0Gi/);
  assert.match(served.blocker.remedy, /set spec\.memory/);
  assert.equal(served.fit?.fits, "no");
});

test("what has served fits, whatever the figures say", () => {
  assert.equal(serve(intent({ sizing: { ...large, hasServed: true } })).is, "planned");
});

test("weights that cannot be had block the service with their own cause", () => {
  const blocker = { subject: "Model a", cause: "Model a not found", remedy: "create it" };
  const served = serve(intent({ weights: { is: "blocked", blocker } }));
  assert.deepEqual(served.is === "blocked" && served.blocker, blocker);
});

test("a pod that keeps crashing is the diagnosis, with a remedy", () => {
  const crashed: ServingPod = {
    name: "a",
    phase: "Running",
    isReady: false,
    isLeaving: false,
    template: "new",
    containers: [
      {
        name: "server",
        role: "serves",
        isReady: false,
        restarts: 6,
        state: { is: "waiting", reason: "CrashLoopBackOff", message: "" },
        lastEnd: { exitCode: 137, reason: "OOMKilled", message: "" },
      },
    ],
  };
  const served = serve(intent({ roles: [role([crashed])] }));
  assert.equal(served.is, "planned");
  if (served.is !== "planned") return;
  assert.match(served.diagnosis?.cause ?? "", /memory/);
  assert.match(served.diagnosis?.remedy ?? "", /spec\.resources\.memory/);
});

test("a request for memory that no node has is told once, before and after a pod waits for it", () => {
  const host = { name: "node", bytes: 900 * gibibyte, request: { bytes: 900 * gibibyte, offered: 16 * gibibyte } };
  const request = { ...sizing(gibibyte), memory: { devices: [], host } };
  const waiting = (unschedulable: string): ServingPod => ({
    name: "a",
    phase: "Pending",
    isReady: false,
    isLeaving: false,
    unschedulable,
    containers: [],
  });
  const causeOf = (...pods: ServingPod[]) => {
    const served = serve(intent({ roles: [role(pods)], sizing: { ...large, request, hasServed: false } }));
    assert.ok(served.is === "planned");
    return { told: served.diagnosis, fit: served.fit?.unmet };
  };
  const memory = causeOf(waiting("0/1 nodes are available: 1 Insufficient memory."));
  assert.match(memory.told?.cause ?? "", /^No node has enough memory: a pod requests 900\.0Gi/);
  assert.deepEqual(memory.told, memory.fit);
  assert.match(causeOf(waiting("0/1 nodes are available: 1 Insufficient cpu.")).told?.cause ?? "", /^Pod a .*cpu/);
});
