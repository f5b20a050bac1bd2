import assert from "node:assert/strict";
import { test } from "node:test";
import { modelHeader, servedModels, sourceHead } from "@trivium/domain";
import {
  type AnyObject,
  ApiError,
  Deployment,
  emitCrd,
  HorizontalPodAutoscaler,
  type Kind,
  type ManagedFields,
  ownerReferenceTo,
} from "@trivium/kube";
import { InferenceService, llmkube, Model } from "@trivium/llmkube";
import { type Answered, answer } from "@trivium/reconcile";
import { startCluster } from "@trivium/testkit";
import { findOlderDefinitions } from "../src/adopt/definitions.ts";
import { printAdoption } from "../src/adopt/print.ts";
import { type AdoptionRow, adoptionOf } from "../src/adopt/rows.ts";
import { simulateAdoption } from "../src/adopt/simulate.ts";
import { findUnsupported } from "../src/adopt/unsupported.ts";
import type { Facts } from "../src/facts/facts.ts";

const dialects = [llmkube];
/** A kind of LLMKube that is not served here, as its own definition leaves it in a cluster. */
const ModelRouter = {
  ...InferenceService,
  kind: "ModelRouter",
  plural: "modelrouters",
  singular: "modelrouter",
  shortNames: [],
};
const time = "2026-11-01T10:00:00Z";
const answers = [
  answer(sourceHead, async () => ({ at: 0, version: "v1", length: 4_000_000 })),
  answer(modelHeader, async () => undefined),
  answer(servedModels, async () => ["chat"]),
] as readonly Answered[];

const apiVersion = "inference.llmkube.dev/v1alpha1";
const metadata = { name: "chat", namespace: "default" };
const upstream = { fieldManager: "manager" };
const kinds = [Model, InferenceService, Deployment, HorizontalPodAutoscaler] as readonly Kind[];

/** A service as its own operator leaves it: pods with a command of its own, and an autoscaler that we would not create. */
async function left(): Promise<Facts> {
  const { client, close } = await startCluster(llmkube.kinds);
  const condition = { type: "Available", status: "True", reason: "Ready", message: "m", lastTransitionTime: time };
  const body = { status: { phase: "Ready", conditions: [condition] } };
  const source = "https://models.example/chat.gguf";
  await client.create(Model, { apiVersion, kind: "Model", metadata, spec: { source } });
  const spec = { modelRef: "chat" };
  const service = await client.create(InferenceService, { apiVersion, kind: "InferenceService", metadata, spec });
  for (const kind of [Model, InferenceService] as readonly Kind[])
    await client.patch(kind, metadata, { type: "merge", body }, { ...upstream, subresource: "status" });
  const own = { ...metadata, ownerReferences: [ownerReferenceTo(service)] };
  const labels = { app: "chat", "inference.llmkube.dev/service": "chat" };
  const container = { name: "llama-server", image: "upstream.example/server:9", command: ["upstream"] };
  const template = { metadata: { labels }, spec: { containers: [container] } };
  const deployment = { apiVersion: "apps/v1", kind: "Deployment" as const, metadata: own };
  const workload = { replicas: 1, selector: { matchLabels: labels }, template };
  await client.create(Deployment, { ...deployment, spec: workload } as Deployment, upstream);
  const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "chat" };
  const scaler = { apiVersion: "autoscaling/v2", kind: "HorizontalPodAutoscaler" as const, metadata: own };
  const limits = { scaleTargetRef, maxReplicas: 2 };
  await client.create(HorizontalPodAutoscaler, { ...scaler, spec: limits } as HorizontalPodAutoscaler, upstream);
  const lists = await Promise.all(
    kinds.map(async (kind) =>
      (await client.list(kind)).items.map((item) => ({ ...item, kind: kind.kind }) as AnyObject),
    ),
  );
  await close();
  return { now: Date.parse(time), objects: lists.flat(), answers: [], unreadable: [], served: [] };
}

async function planned(policy: "safe" | "all"): Promise<AdoptionRow[]> {
  const facts = await left();
  const secrets = { get: () => Promise.reject(new Error("no Secret is read")) };
  const states = await simulateAdoption({ facts, dialects, policy, answers: () => answers, secrets });
  return adoptionOf(states, dialects);
}

/** The other operator has created the object, owner included, and written its status. */
const madeFields: ManagedFields[] = [
  {
    manager: "manager",
    operation: "Update",
    apiVersion,
    time,
    fieldsType: "FieldsV1",
    fieldsV1: { "f:metadata": { "f:ownerReferences": {} }, "f:spec": { "f:source": {} } },
  },
  {
    manager: "manager",
    operation: "Update",
    apiVersion,
    time,
    fieldsType: "FieldsV1",
    subresource: "status",
    fieldsV1: { "f:status": { "f:phase": {} } },
  },
];

const outcomes = (rows: readonly AdoptionRow[]): Record<string, string> =>
  Object.fromEntries(rows.map(({ kind, name, outcome }) => [`${kind} ${name}`, outcome]));

test("the plan of a safe take-over keeps pods, deletes a stray autoscaler and names what is created", async () => {
  const rows = await planned("safe");
  const { "Service chat": created, ...others } = outcomes(rows);
  assert.equal(created, "created");
  assert.deepEqual(others, {
    "HorizontalPodAutoscaler chat": "deleted",
    "Deployment chat": "kept",
    "Model chat": "taken",
    "InferenceService chat": "taken",
  });
  const text = printAdoption(rows, "safe");
  assert.match(text, /Taken over; pods are kept \(1\)\n {2}Deployment default\/chat \(from manager\): its pods stay/);
  assert.match(text, /5 objects, 0 pods to restart; the operator does this with --adopt=safe/);
});

test("an object that the other operator has made for a service and served is one row", async () => {
  const facts = await left();
  const [service] = facts.objects.filter(({ kind }) => kind === "InferenceService");
  const owned = facts.objects.map((object) =>
    object.kind !== "Model" || service === undefined
      ? object
      : {
          ...object,
          metadata: {
            ...object.metadata,
            ownerReferences: [ownerReferenceTo(service as never)],
            managedFields: madeFields,
          },
        },
  );
  const secrets = { get: () => Promise.reject(new Error("no Secret is read")) };
  const states = await simulateAdoption({
    facts: { ...facts, objects: owned },
    dialects,
    policy: "safe",
    answers: () => answers,
    secrets,
  });
  const rows = adoptionOf(states, dialects).filter(({ kind }) => kind === "Model");
  assert.equal(rows.length, 1);
});

test("the plan of a full take-over says which pods restart and which fields change", async () => {
  const rows = await planned("all");
  const deployment = rows.find(({ kind }) => kind === "Deployment");
  assert.equal(deployment?.outcome, "restarted");
  assert.equal(deployment?.restarts, 1);
  assert.ok(deployment?.fields.some((path) => path.startsWith("spec.template.spec.containers[llama-server].command")));
});

test("objects of kinds that only the upstream operator has are named, with what that means", async () => {
  const { client, close } = await startCluster([...llmkube.kinds, ModelRouter]);
  const spec = { modelRef: "chat" };
  await client.create(InferenceService, { apiVersion, kind: "InferenceService", metadata, spec });
  const router = { apiVersion, kind: "ModelRouter", metadata: { name: "front", namespace: "default" } } as const;
  await client.create(ModelRouter as Kind, { ...router, spec } as AnyObject);
  const rows = await findUnsupported(client, dialects);
  await close();
  assert.deepEqual(
    rows.map(({ kind, name, outcome }) => [kind, name, outcome]),
    [["ModelRouter", "front", "left"]],
  );
  assert.match(
    printAdoption(rows, "safe"),
    /Left alone \(1\)\n {2}ModelRouter default\/front: Trivium does not support ModelRouter: without the other operator/,
  );
});

test("definitions that lack fields of our status are named, with the command that brings them", async () => {
  const whole = emitCrd(Model);
  const definition = structuredClone(whole) as unknown as {
    spec: { versions: { schema: { openAPIV3Schema: Schema } }[] };
  };
  const { status } = definition.spec.versions[0]?.schema.openAPIV3Schema.properties ?? {};
  delete status?.properties?.download;
  delete status?.properties?.conditions?.items?.properties?.observedGeneration;
  const client = (crd: object) =>
    ({
      get: (_: unknown, { name }: { name: string }) =>
        name.startsWith("models.") ? Promise.resolve(crd) : Promise.reject(notFound),
    }) as never;
  const rows = await findOlderDefinitions(client(definition), dialects);
  assert.deepEqual(
    rows.map(({ name, fields }) => [name, [...fields].sort()]),
    [["models.inference.llmkube.dev", ["status.conditions[].observedGeneration", "status.download"]]],
  );
  assert.match(printAdoption(rows, "safe"), /run: trivium crds --dialects llmkube \| kubectl apply --server-side/);
  assert.deepEqual(await findOlderDefinitions(client(whole), dialects), []);
});

interface Schema {
  properties?: Record<string, Schema>;
  items?: Schema;
}

const notFound = new ApiError({
  kind: "Status",
  apiVersion: "v1",
  metadata: {},
  status: "Failure",
  reason: "NotFound",
  code: 404,
});

test("a cluster without an upstream operator has nothing to take over", () => {
  assert.equal(printAdoption([], "safe"), "No objects of an upstream operator found; nothing to take over\n");
});
