import assert from "node:assert/strict";
import { test } from "node:test";
import { modelHeader, servedModels, sourceHead } from "@trivium/domain";
import { Deployment, HorizontalPodAutoscaler, Namespace } from "@trivium/kube";
import { type Answered, answer } from "@trivium/reconcile";
import type { JsonObject } from "@trivium/std";
import { startCluster, startWorld, type World } from "@trivium/testkit";
import { InferenceService, llmkube, Model } from "../src/index.ts";
import { GPUQuota } from "../src/kinds/gpu-quota.ts";

const apiVersion = "inference.llmkube.dev/v1alpha1";
const namespace = "team";
const answers = [
  answer(sourceHead, async () => ({ at: 0, version: "v1", length: 4_000_000 })),
  answer(modelHeader, async () => undefined),
  answer(servedModels, async () => ["m"]),
] as readonly Answered[];

type Spec = Partial<InferenceService["spec"]>;
type Metadata = Partial<InferenceService["metadata"]>;

/** What a user of the namespace can do. */
interface Tenant {
  readonly serve: (name: string, spec?: Spec, metadata?: Metadata) => Promise<void>;
  readonly change: (name: string, spec: JsonObject) => Promise<void>;
  readonly end: (name: string, propagationPolicy?: "Orphan") => Promise<void>;
}

/** How a user could try to get more than the one GPU of the quota, and what runs then. */
const tricks: Readonly<Record<string, readonly [string[], (tenant: Tenant) => Promise<void>]>> = {
  "the label of a queue": [
    [],
    ({ serve }) => serve("queued", { modelRef: "eight" }, { labels: { "kueue.x-k8s.io/queue-name": "nope" } }),
  ],
  "services that a finalizer keeps": [
    ["a: 1"],
    async ({ serve, end }) => {
      for (const name of ["a", "b", "c"]) {
        await serve(name, {}, { finalizers: ["tenant.example/hold"] });
        await end(name);
      }
    },
  ],
  "services that are deleted without their Deployments": [
    ["a: 1"],
    async ({ serve, end }) => {
      for (const name of ["a", "b", "c"]) {
        await serve(name);
        await end(name, "Orphan");
      }
    },
  ],
  "fewer replicas at most than at least": [
    [],
    ({ serve }) => serve("inverse", { autoscaling: { minReplicas: 10, maxReplicas: 1 } }),
  ],
  "autoscaling without a metric": [
    [],
    ({ serve }) => serve("fixed", { runtime: "ollama", replicas: 10, autoscaling: { maxReplicas: 1 } }),
  ],
  "several resource claims": [[], ({ serve }) => serve("claims", { modelRef: "claims" })],
  "a Model that is changed to none, while pods run": [
    ["first: 1"],
    async ({ serve, change }) => {
      await serve("first");
      await change("first", { modelRef: "nowhere" });
      await serve("second");
    },
  ],
  "a canary": [
    ["first: 1"],
    async ({ serve }) => {
      await serve("canary", {}, { annotations: { "trivium.dev/canary-percent": "50" } });
      await serve("first");
    },
  ],
  "a service that cannot run, and GPU memory that no number holds": [
    ["second: 1"],
    async ({ serve }) => {
      await serve("huge", { modelRef: "huge", resources: { gpuSharing: { mode: "shared" } } });
      await serve("second");
    },
  ],
  "a Model that is missing, with the highest priority": [
    ["second: 1"],
    async ({ serve }) => {
      await serve("ghost", { modelRef: "nowhere", priority: "critical", resources: { gpu: 1 } });
      await serve("second");
    },
  ],
};

for (const [name, [running, attempt]] of Object.entries(tricks))
  test(`a quota of one GPU holds against ${name}`, async (t) => {
    const world = await startWorld({ cluster: await startCluster([...llmkube.kinds]), ...llmkube, answers });
    t.after(() => world.stop());
    await prepare(world);
    await limit(world, 1);
    await attempt(tenantOf(world));
    assert.deepEqual(await gpusOf(world), running);
  });

test("a quota that is created again counts Deployments whose pods have not started", async (t) => {
  const world = await startWorld({ cluster: await startCluster([...llmkube.kinds]), ...llmkube, answers });
  t.after(() => world.stop());
  await prepare(world);
  const { serve } = tenantOf(world);
  await serve("before", { modelRef: "eight" });
  await limit(world, 8);
  await serve("after");
  assert.deepEqual(await gpusOf(world), ["before: 8"]);
});

async function prepare({ client, settle }: World): Promise<void> {
  for (const name of [namespace, "kube-system"])
    await client.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name } }).catch(() => {});
  const resourceClaims = ["a", "b", "c", "d"].map((name) => ({ name, resourceClaimTemplateName: name }));
  const gpus = {
    one: { count: 1 },
    eight: { count: 8 },
    claims: { resourceClaims },
    huge: { count: 1, memory: "100E" },
  };
  for (const [name, gpu] of Object.entries(gpus))
    await client.create(Model, {
      apiVersion,
      kind: "Model",
      metadata: { name, namespace },
      spec: {
        source: `https://models.example/${name}.gguf`,
        hardware: { accelerator: "cuda", gpu: { enabled: true, ...gpu } },
      },
    });
  await settle();
}

async function limit({ client, settle }: World, gpuCount: number): Promise<void> {
  const metadata = { name: "team", namespace: "kube-system" };
  await client.create(GPUQuota, {
    apiVersion,
    kind: "GPUQuota",
    metadata,
    spec: { namespaceRef: namespace, gpuCount },
  });
  await settle();
}

const tenantOf = ({ client, settle }: World): Tenant => ({
  async serve(name, spec, metadata) {
    const object = { apiVersion, kind: "InferenceService", metadata: { name, namespace, ...metadata } };
    await client.create(InferenceService, { ...object, spec: { modelRef: "one", ...spec } });
    await settle();
  },
  async change(name, spec) {
    await client.patch(InferenceService, { namespace, name }, { type: "merge", body: { spec } });
    await settle();
  },
  async end(name, propagationPolicy) {
    await client.delete(InferenceService, { namespace, name }, propagationPolicy && { propagationPolicy });
    await settle();
  },
});

/** Deployments, with the GPUs that all their replicas would use. */
async function gpusOf({ client }: World): Promise<string[]> {
  const { items: scalers } = await client.list(HorizontalPodAutoscaler, { namespace });
  const { items } = await client.list(Deployment, { namespace });
  return items.map(({ metadata: { name }, spec }) => {
    const max = scalers.find((one) => one.spec?.scaleTargetRef.name === name)?.spec?.maxReplicas ?? 0;
    const { resources } = spec?.template.spec?.containers[0] ?? {};
    const each = Number(resources?.limits?.["nvidia.com/gpu"] ?? 0) + (resources?.claims ?? []).length;
    return `${name}: ${each * Math.max(max, spec?.replicas ?? 1)}`;
  });
}
