import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import {
  CustomResourceDefinition,
  Deployment,
  Event,
  HorizontalPodAutoscaler,
  type Kind,
  KServeInferenceService,
  KServeServingRuntime,
  Namespace,
  ScaledObject,
} from "@trivium/kube";
import { objectWarningAnswers, servedKindAnswers } from "@trivium/probes";
import type { JsonObject } from "@trivium/std";
import { startCluster, startWorld } from "@trivium/testkit";
import { AIMModel, AIMService, AIMServiceTemplate, aim, createAim } from "../src/index.ts";
import { permissive } from "./story-operator.ts";

const apiVersion = "aim.silogen.ai/v1alpha1";
const namespace = "team-a";

const theirs = [KServeInferenceService, KServeServingRuntime, ScaledObject] as const;

async function stage(t: TestContext, installed: readonly Kind[]) {
  const cluster = await startCluster([...aim.kinds]);
  for (const kind of installed) await cluster.client.create(CustomResourceDefinition, permissive(kind));
  const answers = [...servedKindAnswers(cluster.client), ...objectWarningAnswers(cluster.client)];
  const world = await startWorld({ cluster, reconcilers: createAim().reconcilers, answers });
  t.after(() => world.stop());
  const { client } = world;
  await client.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
  const modelSources = [{ name: "acme/foo", sourceUri: "hf://acme/foo", size: "1Gi" }];
  await client.create(AIMModel, {
    apiVersion,
    kind: "AIMModel",
    metadata: { name: "foo", namespace },
    spec: { image: "registry.example/foo:1", discovery: { enabled: false } },
  });
  await client.create(AIMServiceTemplate, {
    apiVersion,
    kind: "AIMServiceTemplate",
    metadata: { name: "foo-cpu", namespace },
    spec: { modelName: "foo", type: "optimized", hardware: { cpu: { requests: "2" } }, modelSources },
  });
  const report = async (kind: Kind, name: string, status: JsonObject) => {
    const patch = { type: "merge", body: { status } } as const;
    await client.patch(kind, { namespace, name }, patch, { subresource: "status" });
    await world.settle();
  };
  const reported = async (type: string): Promise<string> => {
    const { status } = await client.get(AIMService, { namespace, name: "chat" });
    const { status: state, reason, message } = status?.conditions?.find((one) => one.type === type) ?? {};
    return `${status?.status} ${state} ${reason}: ${message}`;
  };
  return { world, client, report, reported };
}

test("the status of KServe, its pods and its autoscaler reaches the service", async (t) => {
  const { world, client, report, reported } = await stage(t, theirs);
  const podmetric = { metric: { query: "vllm:num_requests_running" }, target: { type: "Value", value: "4" } } as const;
  await client.create(AIMService, {
    apiVersion,
    kind: "AIMService",
    metadata: { name: "chat", namespace },
    spec: { model: { ref: "foo" }, maxReplicas: 3, autoScaling: { metrics: [{ type: "PodMetric", podmetric }] } },
  });
  await world.settle();
  const made = await client.get(KServeInferenceService, { namespace, name: "chat" });
  assert.deepEqual([made.spec.predictor.minReplicas, made.spec.predictor.maxReplicas], [1, 3]);
  assert.match(await reported("Ready"), /^Starting False CreatingRuntime/);

  const { uid = "" } = made.metadata;
  await client.create(Event, {
    apiVersion: "v1",
    kind: "Event",
    metadata: { name: "chat.1", namespace },
    involvedObject: { apiVersion: made.apiVersion, kind: made.kind, name: "chat", namespace, uid },
    type: "Warning",
    reason: "ServerlessModeRejected",
    message: "Knative Services are not available",
    lastTimestamp: "2026-01-01T00:00:00Z",
  });
  await world.elapse(31_000);
  assert.equal(
    await reported("Ready"),
    "Degraded False ServerlessModeRejected: KServe cannot run InferenceService chat: Knative Services are not available; install Knative, or use the deployment mode RawDeployment in the configuration of KServe",
  );

  const ready = { type: "Ready", status: "True", lastTransitionTime: "2026-01-01T00:01:00Z" };
  const { generation = 0 } = made.metadata;
  const answering = { observedGeneration: generation, conditions: [ready], url: "http://chat.example" };
  await report(KServeInferenceService, "chat", answering);
  assert.equal(await reported("RuntimeReady"), "Running True RuntimeReady: Serving at http://chat.example");
  assert.match(await reported("HPAReady"), /HPANotFound/);

  await client.create(HorizontalPodAutoscaler, {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: { name: "keda-hpa-chat-predictor", namespace },
    spec: { maxReplicas: 3, scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "chat-predictor" } },
  });
  await report(HorizontalPodAutoscaler, "keda-hpa-chat-predictor", {
    currentReplicas: 2,
    desiredReplicas: 3,
    currentMetrics: [],
    conditions: [
      { type: "AbleToScale", status: "True" },
      { type: "ScalingActive", status: "True" },
    ],
  });
  assert.match(await reported("HPAReady"), /^Running True HPAOperational/);
  const { status } = await client.get(AIMService, { namespace, name: "chat" });
  assert.equal(status?.runtime?.replicas, "2/3 (1-3)");

  // What KServe says of an older spec is no news of the newer one.
  const body = { spec: { env: [{ name: "A", value: "b" }] } };
  await client.patch(AIMService, { namespace, name: "chat" }, { type: "merge", body });
  await world.settle();
  assert.match(await reported("Ready"), /^Starting False CreatingRuntime/);
  await report(KServeInferenceService, "chat", { ...answering, observedGeneration: generation + 1 });
  assert.match(await reported("Ready"), /^Running True/);
});

test("services created without KServe are kept after it is installed; later ones use KServe", async (t) => {
  const { world, client } = await stage(t, []);
  const serve = async (name: string) => {
    const service = { apiVersion, kind: "AIMService", metadata: { name, namespace }, spec: { model: { ref: "foo" } } };
    await client.create(AIMService, service);
    await world.settle();
  };
  await serve("early");
  const before = await client.get(Deployment, { namespace, name: "early-predictor" });
  for (const kind of theirs) await client.create(CustomResourceDefinition, permissive(kind));
  await world.elapse(6 * 60_000);
  await serve("late");
  const after = await client.get(Deployment, { namespace, name: "early-predictor" });
  assert.equal(after.metadata.uid, before.metadata.uid);
  const { items } = await client.list(KServeInferenceService, { namespace });
  assert.deepEqual(
    items.map(({ metadata }) => metadata.name),
    ["late"],
  );
});
