import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { PlannedRole, RoleShape, ScaledPlan, ServicePlan, ServingPlan, WorkloadPlan } from "@trivium/domain";
import type { Desired } from "@trivium/reconcile";
import { emitHttpRoute, emitJob, emitServing } from "./index.ts";

const labels = { app: "chat" };
const pod = { labels, annotations: {}, spec: { containers: [{ name: "server", image: "i" }] } };
const workload: WorkloadPlan = { name: "chat", labels, selector: labels, pod, replicas: 1, update: "roll" };
const address: ServicePlan = {
  name: "chat",
  labels,
  selector: labels,
  type: "ClusterIP",
  ports: [{ name: "http", port: 80, target: 8080 }],
};
const target = { apiVersion: "apps/v1", kind: "Deployment", name: "chat" };
const scaled: ScaledPlan = { name: "chat-scaler", labels, target, min: 0, max: 2, triggers: [] };
const role: PlannedRole = {
  name: "server",
  shape: { is: "deployment", workload },
  address,
  replicas: { min: 1, max: 1, current: 1 },
  scaling: { is: "fixed" },
  health: { desired: 1, total: 0, ready: 0, answering: 0 },
};
const plan = (more: Partial<PlannedRole> = {}, rest: Partial<ServingPlan> = {}): ServingPlan => ({
  roles: [{ ...role, ...more }],
  claims: [],
  routes: [],
  ...rest,
});
const shown = (children: readonly Desired[]): string[] =>
  children.map(({ object, keep }) => `${object.kind} ${object.metadata.name}${keep ? " kept" : ""}`);

describe("the objects of a service", () => {
  const backends = [
    { name: "chat", port: 80, weight: 90 },
    { name: "chat-canary", port: 80, weight: 10 },
  ];
  const canary = {
    workload: { ...workload, name: "chat-canary" },
    address: { ...address, name: "chat-canary" },
    percent: 10,
    isUp: true,
    pods: [],
    backends,
  };
  const group: RoleShape = {
    is: "group",
    group: { name: "chat", labels, leader: pod, worker: pod, size: 2, replicas: 1 },
  };
  const serverless: RoleShape = { is: "serverless", serverless: { name: "chat", labels, pod, traffic: [] } };
  const kserve: RoleShape = {
    is: "kserve",
    inference: {
      name: "chat",
      labels,
      annotations: {},
      server: { is: "container", image: "i", port: 8080 },
      container: {},
      pod: {},
      replicas: { min: 1, max: 1 },
    },
  };
  const access = { name: "chat-router", account: "chat-router", isOurs: true };
  const disruption = { name: "chat", labels, spec: { maxUnavailable: 1 } };
  const rows: readonly [string, ServingPlan, string[]][] = [
    ["a Deployment and its address", plan(), ["Deployment chat", "Service chat"]],
    ["no address of its own", plan({ address: undefined }), ["Deployment chat"]],
    ["what stays unchanged", plan({ keep: true }), ["Deployment chat kept", "Service chat"]],
    ["a group", plan({ shape: group }), ["LeaderWorkerSet chat", "Service chat"]],
    ["Knative", plan({ shape: serverless, address: undefined }), ["Service chat"]],
    ["KServe", plan({ shape: kserve, address: undefined }), ["InferenceService chat"]],
    [
      "a canary beside what is rolled out",
      plan({ canary }),
      ["Deployment chat kept", "Service chat", "Deployment chat-canary", "Service chat-canary"],
    ],
    [
      "a canary whose name another owner has",
      plan({ canary: { ...canary, taken: { kind: "Service", name: "chat-canary" } } }),
      ["Deployment chat kept", "Service chat"],
    ],
    [
      "an autoscaler of Kubernetes",
      plan({ scaling: { is: "hpa", plan: { ...scaled, name: "chat", metrics: [] } } }),
      ["Deployment chat", "Service chat", "HorizontalPodAutoscaler chat"],
    ],
    [
      "KEDA",
      plan({ scaling: { is: "keda", plan: scaled } }),
      ["Deployment chat", "Service chat", "ScaledObject chat-scaler"],
    ],
    ["KEDA later", plan({ scaling: { is: "switching", plan: scaled } }), ["Deployment chat", "Service chat"]],
    [
      "KEDA that is no longer installed",
      plan({ scaling: { is: "unavailable", why: "KEDA is not installed", kept: scaled } }),
      ["Deployment chat", "Service chat", "ScaledObject chat-scaler kept"],
    ],
    [
      "access to pods, and a budget",
      plan({ access, disruption }),
      [
        "ServiceAccount chat-router",
        "Role chat-router",
        "RoleBinding chat-router",
        "Deployment chat",
        "Service chat",
        "PodDisruptionBudget chat",
      ],
    ],
    [
      "everything around the roles",
      plan(
        {},
        {
          claims: [{ name: "weights", labels, size: "1Gi", accessMode: "ReadWriteOnce", life: "owned" }],
          configs: [{ name: "models", labels, data: { a: "b" } }],
          addresses: [{ ...address, name: "entry" }],
          aliases: [{ name: "alias", labels, externalName: "gateway.example" }],
          routes: [{ name: "route", labels, parent: { name: "gateway" }, backends }],
          ingresses: [{ name: "ingress", labels, rules: [{ host: "h", service: "chat", port: 80 }] }],
          virtualServices: [{ name: "mesh", labels, spec: { hosts: ["h"] } }],
        },
      ),
      [
        "PersistentVolumeClaim weights",
        "ConfigMap models",
        "Deployment chat",
        "Service chat",
        "Service entry",
        "Service alias",
        "HTTPRoute route",
        "Ingress ingress",
        "VirtualService mesh",
      ],
    ],
  ];
  for (const [name, planned, expected] of rows)
    test(name, () => assert.deepEqual(shown(emitServing(planned)), expected));

  test("a strategy of the dialect reaches the Deployment and its canary", () => {
    const strategy = { type: "Recreate" as const };
    const children = emitServing(plan({ shape: { is: "deployment", workload, strategy }, canary }));
    const strategies = children.flatMap(({ object }) =>
      object.kind === "Deployment" ? [(object as { spec?: { strategy?: unknown } }).spec?.strategy] : [],
    );
    assert.deepEqual(strategies, [strategy, strategy]);
  });
});

test("a route shares requests by weight, and takes its path away", () => {
  const route = { name: "r", labels: {}, parent: { name: "g" }, backends: [{ name: "a", port: 80, weight: 1 }] };
  const bare = emitHttpRoute(route).object.spec.rules?.[0];
  assert.equal(bare?.filters, undefined);
  assert.deepEqual(bare?.matches, [{ path: { type: "PathPrefix", value: "/" } }]);
  const under = emitHttpRoute({ ...route, path: "/team/chat", hostnames: ["h"], timeout: "5m" }).object.spec;
  assert.deepEqual(under.hostnames, ["h"]);
  assert.equal(under.rules?.[0]?.filters?.[0]?.type, "URLRewrite");
  assert.deepEqual(under.rules?.[0]?.timeouts, { request: "5m" });
});

test("a Job is created once, without a token, and never restarts its pod", () => {
  const { object, createOnly } = emitJob({
    name: "j",
    namespace: "n",
    labels: {},
    pod,
    retries: 0,
    deadlineSeconds: 9,
  });
  assert.equal(createOnly, true);
  assert.equal(object.metadata.namespace, "n");
  assert.equal(object.spec?.activeDeadlineSeconds, 9);
  assert.equal(object.spec?.template.spec?.restartPolicy, "Never");
  assert.equal(object.spec?.template.spec?.automountServiceAccountToken, false);
});
