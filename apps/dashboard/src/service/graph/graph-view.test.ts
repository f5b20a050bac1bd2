import assert from "node:assert/strict";
import { test } from "node:test";
import { createStatusReader, type Gathered } from "@trivium/explain";
import type { AnyObject } from "@trivium/kube";
import { llmkubeStatusGuide } from "@trivium/llmkube";
import { viewGraph } from "./graph-view.ts";

const group = "inference.llmkube.dev";
const reader = createStatusReader([{ group, statusGuide: llmkubeStatusGuide }]);
const thing = (kind: string, name: string, fields: object = {}, apiVersion = "v1"): AnyObject =>
  ({ apiVersion, kind, metadata: { name, namespace: "a", uid: `${kind} ${name}` }, ...fields }) as unknown as AnyObject;
const own = (kind: string, name: string, fields: object): AnyObject => thing(kind, name, fields, `${group}/v1alpha1`);
const condition = (type: string, status: string, reason: string) => ({ type, status, reason, message: "m" });

function gathered(pod: object, service: object): Gathered {
  const podPart = { object: thing("Pod", "chat-0", pod), parts: [] };
  const replicaSet = { object: thing("ReplicaSet", "chat-r", { spec: { replicas: 1 } }), parts: [podPart] };
  const deployment = { object: thing("Deployment", "chat", { spec: { replicas: 1 } }), parts: [replicaSet] };
  const claim = { object: thing("PersistentVolumeClaim", "weights", { status: { phase: "Bound" } }), parts: [] };
  return {
    object: own("InferenceService", "chat", { spec: { modelRef: "tiny" }, status: service }),
    uses: [own("Model", "tiny", { status: { phase: "Ready" } })],
    missing: [],
    parts: [deployment, claim],
    warnings: [],
    explanation: {},
  };
}

const volumes = [{ persistentVolumeClaim: { claimName: "weights" } }, { emptyDir: {} }];

test("objects stand in columns from the service to its node, without replica sets", () => {
  const running = {
    spec: { nodeName: "n1", volumes },
    status: { phase: "Running", conditions: [condition("Ready", "True", "")] },
  };
  const view = viewGraph(
    gathered(running, { phase: "Ready", conditions: [condition("Available", "True", "InferenceReady")] }),
    reader,
  );
  assert.deepEqual(view.columns, ["Service", "Model and weights", "Claim", "Workload", "Pod", "Node"]);
  assert.deepEqual(
    view.lines.map(({ from, to, isBroken }) => `${from} -> ${to}${isBroken ? " broken" : ""}`),
    [
      "InferenceService chat -> Model tiny",
      "InferenceService chat -> Deployment chat",
      "Deployment chat -> Pod chat-0",
      "InferenceService chat -> PersistentVolumeClaim weights",
      "Pod chat-0 -> Node n1",
      "PersistentVolumeClaim weights -> Pod chat-0",
    ],
  );
});

test("a Job that is complete, and its pod, are left out", () => {
  const running = {
    spec: { nodeName: "n1" },
    status: { phase: "Running", conditions: [condition("Ready", "True", "")] },
  };
  const base = gathered(running, { phase: "Ready", conditions: [condition("Available", "True", "InferenceReady")] });
  const jobOf = (type: string): Gathered["parts"][number] => ({
    object: thing("Job", "fetch", { status: { conditions: [condition(type, "True", "")] } }),
    parts: [
      { object: thing("Pod", "fetch-0", { spec: { nodeName: "n2" }, status: { phase: "Succeeded" } }), parts: [] },
    ],
  });
  const boxesWith = (type: string): string[] =>
    viewGraph({ ...base, parts: [...base.parts, jobOf(type)] }, reader).boxes.map(({ id }) => id);
  assert.ok(boxesWith("Failed").includes("Job fetch"));
  assert.deepEqual(
    boxesWith("Complete").filter((id) => /fetch|n2/.test(id)),
    [],
  );
});

test("the way to a pod that no node takes is marked", () => {
  const waiting = {
    spec: { volumes },
    status: {
      phase: "Pending",
      conditions: [{ ...condition("PodScheduled", "False", "Unschedulable"), message: "0/1 nodes" }],
    },
  };
  const service = { phase: "Pending", conditions: [condition("Available", "False", "InsufficientGPU")] };
  const view = viewGraph(gathered(waiting, service), reader);
  assert.deepEqual(
    view.lines.filter(({ isBroken }) => isBroken).map(({ from, to }) => `${from} -> ${to}`),
    ["InferenceService chat -> Deployment chat", "Deployment chat -> Pod chat-0", "Pod chat-0 -> Node of chat-0"],
  );
});

const brokenOf = (base: Gathered): string[] =>
  viewGraph(base, reader)
    .lines.filter(({ isBroken }) => isBroken)
    .map(({ from, to }) => `${from} -> ${to}`);

test("one way is marked: to the pod that the decision names, to what is missing, or to what failed", () => {
  const status = { conditions: [{ ...condition("PodScheduled", "False", "Unschedulable"), message: "0/1 nodes" }] };
  const service = { phase: "Failed", conditions: [condition("Available", "False", "ModelFailed")] };
  const waiting = gathered({ spec: {}, status }, service);
  const failed = { ...waiting, uses: [own("Model", "tiny", { status: { phase: "Failed" } })] };
  assert.deepEqual(brokenOf(failed), ["InferenceService chat -> Model tiny"]);
  const lacking = { ...failed, missing: [{ kinds: ["InferenceService"], name: "draft" }] };
  assert.deepEqual(brokenOf(lacking), ["InferenceService chat -> InferenceService draft"]);
  const running = gathered({ spec: { nodeName: "n1" }, status: { phase: "Running" } }, service);
  assert.deepEqual(brokenOf({ ...running, explanation: { failedPod: "chat-0" } }), [
    "InferenceService chat -> Deployment chat",
    "Deployment chat -> Pod chat-0",
  ]);
});

test("the way to a claim that does not exist passes the model that names it", () => {
  const service = { phase: "Failed", conditions: [condition("Degraded", "True", "ModelFailed")] };
  const model = own("Model", "tiny", { status: { phase: "Failed" } });
  const relation = { kinds: ["PersistentVolumeClaim"], name: "gone" };
  const base = { ...gathered({}, service), uses: [model], parts: [], behind: [{ user: model, relation }] };
  const view = viewGraph(base, reader);
  assert.deepEqual(view.columns, ["Service", "Model and weights", "Claim"]);
  assert.deepEqual(brokenOf(base), ["InferenceService chat -> Model tiny", "Model tiny -> PersistentVolumeClaim gone"]);
});

test("while a service is in progress, a pod that waits for a node is not marked as broken", () => {
  const status = { conditions: [{ ...condition("PodScheduled", "False", "Unschedulable"), message: "0/1 nodes" }] };
  const service = { phase: "Pending", conditions: [condition("Available", "False", "ModelDownloading")] };
  const base = gathered({ spec: {}, status }, service);
  assert.deepEqual(brokenOf(base), []);
  assert.equal(viewGraph(base, reader).boxes.find(({ kind }) => kind === "Node")?.is, "progressing");
});
