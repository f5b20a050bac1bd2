import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import {
  type ImageReport,
  imageConfig,
  isServed,
  logOnce,
  type RegistryRefusal,
  registryRepositories,
  registryTags,
} from "@trivium/domain";
import { Job, Namespace, Node, Pod, Secret } from "@trivium/kube";
import { type Answered, answer } from "@trivium/reconcile";
import { formatTime } from "@trivium/std";
import { startCluster, startWorld } from "@trivium/testkit";
import {
  AIMClusterModel,
  AIMClusterServiceTemplate,
  AIMModel,
  AIMServiceTemplate,
  aim,
  createAim,
} from "../src/index.ts";
import { AIMClusterModelSource } from "../src/kinds/cluster-model-source.ts";

const apiVersion = "aim.silogen.ai/v1alpha1";
const namespace = "team-a";

/** What the world outside says, to be changed while a test runs. */
interface Outside {
  image: ImageReport | RegistryRefusal | Error;
  log: string;
  tags: string[];
  readonly asked: { image: number };
}

function answersOf(outside: Outside): Answered[] {
  return [
    answer(imageConfig, async () => {
      outside.asked.image += 1;
      if (outside.image instanceof Error) throw outside.image;
      return outside.image;
    }),
    answer(isServed, async () => false),
    answer(logOnce, async () => outside.log),
    answer(registryTags, async () => ({ is: "tags", tags: outside.tags, at: 0 }) as const),
    answer(registryRepositories, async () => ({ is: "repositories", repositories: ["acme/aim-a"], at: 0 }) as const),
  ] as Answered[];
}

const recommending = (...gpuModels: string[]): ImageReport => ({
  is: "image",
  digest: `sha256:${"a".repeat(64)}`,
  platform: "linux/amd64",
  labels: {
    "com.amd.aim.model.recommendedDeployments": JSON.stringify(
      gpuModels.map((gpuModel) => ({ gpuModel, gpuCount: 1, precision: "fp8", metric: "latency" })),
    ),
  },
});

const output = JSON.stringify([
  {
    profile: {
      metadata: { engine: "vllm", gpu: "MI300X", gpu_count: 1, precision: "fp8", metric: "latency", type: "optimized" },
    },
    models: [{ name: "acme/Foo", source: "hf://acme/Foo", size_gb: 1 }],
  },
]);

async function stage(t: TestContext) {
  const outside: Outside = {
    image: recommending("MI300X", "MI250X"),
    log: output,
    tags: ["1.0.0"],
    asked: { image: 0 },
  };
  const cluster = await startCluster([...aim.kinds]);
  const world = await startWorld({ cluster, reconcilers: createAim().reconcilers, answers: answersOf(outside) });
  t.after(() => world.stop());
  const { client } = world;
  for (const name of ["kube-system", "aim-system", namespace]) {
    await client.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name } }).catch(() => {});
  }
  const labelled = { name: "n1", labels: { "amd.com/gpu.device-id": "74a1" } };
  await client.create(Node, { apiVersion: "v1", kind: "Node", metadata: labelled });
  await world.settle();
  return { world, client, outside };
}

type Stage = Awaited<ReturnType<typeof stage>>;

/** Plays the Job controller: every Job that is there ends this way. */
async function endJobs({ client, world }: Stage, how: "Complete" | "Failed"): Promise<number> {
  const { items } = await client.list(Job);
  const open = items.filter(({ status }) => !status?.conditions?.length);
  const now = formatTime(world.clock.now());
  for (const job of open) {
    const { name = "", namespace: home = "", uid = "" } = job.metadata;
    const owner = { apiVersion: "batch/v1", kind: "Job", name, uid, controller: true };
    const pod: Pod = {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: `${name}-x`, namespace: home, ownerReferences: [owner] },
      spec: { containers: [{ name: "discovery", image: "x" }] },
    };
    await client.create(Pod, pod);
    const phase = how === "Complete" ? "Succeeded" : "Failed";
    await client.patch(
      Pod,
      { namespace: home, name: `${name}-x` },
      { type: "merge", body: { status: { phase } } },
      { subresource: "status" },
    );
    const conditions =
      how === "Complete"
        ? [
            { type: "SuccessCriteriaMet", status: "True", lastTransitionTime: now },
            { type: "Complete", status: "True", lastTransitionTime: now },
          ]
        : [
            { type: "FailureTarget", status: "True", lastTransitionTime: now, reason: "BackoffLimitExceeded" },
            {
              type: "Failed",
              status: "True",
              lastTransitionTime: now,
              reason: "BackoffLimitExceeded",
              message: "it failed",
            },
          ];
    const ended = how === "Complete" ? { completionTime: now, succeeded: 1 } : { failed: 1 };
    const body = { status: { startTime: now, conditions, ...ended } };
    await client.patch(Job, { namespace: home, name }, { type: "merge", body }, { subresource: "status" });
  }
  await world.settle();
  return open.length;
}

const model = (name: string, spec: Partial<{ imagePullSecrets: { name: string }[]; image: string }> = {}) => ({
  apiVersion,
  kind: "AIMModel",
  metadata: { name, namespace },
  spec: { image: "ghcr.io/acme/aim-foo:1.0", ...spec },
});

interface Conditioned {
  readonly status?: { readonly conditions?: readonly { type: string; reason: string }[] | undefined } | undefined;
}
const reasonOf = (object: Conditioned | undefined, type: string): string | undefined =>
  object?.status?.conditions?.find((condition) => condition.type === type)?.reason;

describe("the catalog on an API server", () => {
  test("a model becomes templates, a Job for each inspects the image, and all with available GPUs become ready", async (t) => {
    const given = await stage(t);
    const { client, world } = given;
    await client.create(AIMModel, model("foo"));
    await world.settle();
    const { items } = await client.list(AIMServiceTemplate, { namespace });
    const states = items.map(({ metadata, status }) => [metadata.name?.replace(/-[0-9a-f]{4}$/, ""), status?.status]);
    assert.deepEqual(states.sort(), [
      ["foo-1x-mi250x-lat-fp8", "NotAvailable"],
      ["foo-1x-mi300x-lat-fp8", "Progressing"],
    ]);
    assert.equal(await endJobs(given, "Complete"), 1);
    const ready = (await client.list(AIMServiceTemplate, { namespace })).items.find(
      ({ status }) => status?.status === "Ready",
    );
    assert.deepEqual(ready?.status?.modelSources, [
      { name: "acme/Foo", modelId: "acme/Foo", sourceUri: "hf://acme/Foo", size: "1Gi" },
    ]);
    assert.equal(ready?.metadata.annotations?.["aim.silogen.ai/discovery-slot"], undefined);
    const done = await client.get(AIMModel, { namespace, name: "foo" });
    assert.equal(done.status?.status, "Ready");
    assert.equal(done.status?.inspectedImage?.digest, `sha256:${"a".repeat(64)}`);
    world.writes.length = 0;
    await world.elapse(3_600_000);
    assert.deepEqual(world.writes, [], "an hour in which nothing happens writes nothing");
  });

  test("a template becomes ready when its GPU is added, and keeps its results when the GPU is removed", async (t) => {
    const given = await stage(t);
    const { client, world, outside } = given;
    outside.image = recommending("MI210");
    await client.create(AIMModel, model("foo"));
    await world.settle();
    const only = async () => (await client.list(AIMServiceTemplate, { namespace })).items[0];
    assert.equal((await only())?.status?.status, "NotAvailable");
    const label = (value: string | null) =>
      client.patch(
        Node,
        { name: "n1" },
        { type: "merge", body: { metadata: { labels: { "amd.com/gpu.device-id": value } } } },
      );
    await label("740f");
    await world.settle();
    await endJobs(given, "Complete");
    assert.equal((await only())?.status?.status, "Ready");
    await label("74a1");
    await world.settle();
    const gone = await only();
    assert.deepEqual([gone?.status?.status, reasonOf(gone, "Ready")], ["NotAvailable", "GPUUnavailable"]);
    assert.equal(gone?.status?.profile?.metadata?.engine, "vllm");
    await label("740f");
    await world.settle();
    assert.equal((await only())?.status?.status, "Ready", "no second Job is needed");
  });

  test("at most ten Jobs run at once over all namespaces, and every template gets a slot", async (t) => {
    const given = await stage(t);
    const { client, world } = given;
    await client.create(AIMModel, {
      ...model("foo"),
      spec: { image: "ghcr.io/acme/aim-foo:1.0", discovery: { enabled: false } },
    });
    for (let i = 0; i < 30; i += 1) {
      const metadata = { name: `t${String(i).padStart(2, "0")}`, namespace };
      await client.create(AIMServiceTemplate, {
        apiVersion,
        kind: "AIMServiceTemplate",
        metadata,
        spec: { modelName: "foo", profileId: `p${i}` },
      });
    }
    const rounds: number[] = [];
    for (let round = 0; round < 4; round += 1) {
      await world.settle();
      rounds.push(await endJobs(given, "Complete"));
    }
    assert.deepEqual(rounds, [10, 10, 10, 0]);
    const { items } = await client.list(AIMServiceTemplate, { namespace });
    assert.deepEqual([...new Set(items.map(({ status }) => status?.status))], ["Ready"]);
  });

  test("a failed Job is retried with growing delay and does not block others", async (t) => {
    const given = await stage(t);
    const { client, world, outside } = given;
    outside.image = recommending("MI300X");
    await client.create(AIMModel, model("foo"));
    await world.settle();
    assert.equal(await endJobs(given, "Failed"), 1);
    const only = async () => (await client.list(AIMServiceTemplate, { namespace })).items[0];
    assert.deepEqual([(await only())?.status?.status, (await only())?.status?.discovery?.attempts], ["Degraded", 1]);
    assert.equal((await client.get(AIMModel, { namespace, name: "foo" })).status?.status, "Failed");
    await world.elapse(30_000);
    assert.equal(await endJobs(given, "Failed"), 0);
    await world.elapse(31_000);
    assert.equal(await endJobs(given, "Failed"), 1);
    assert.equal((await only())?.status?.discovery?.attempts, 2);
    await world.elapse(120_000);
    assert.equal(await endJobs(given, "Complete"), 1);
    assert.equal((await only())?.status?.status, "Ready");
    assert.equal((await client.get(AIMModel, { namespace, name: "foo" })).status?.status, "Ready");
  });

  test("templates whose image cannot be pulled do not block others", async (t) => {
    const given = await stage(t);
    const { client, world } = given;
    const spec = { image: "ghcr.io/acme/aim-foo:1.0", discovery: { enabled: false } };
    await client.create(AIMModel, { ...model("foo"), spec });
    const create = (name: string) =>
      client.create(AIMServiceTemplate, {
        apiVersion,
        kind: "AIMServiceTemplate",
        metadata: { name, namespace },
        spec: { modelName: "foo", profileId: name },
      });
    for (let i = 0; i < 12; i += 1) await create(`bad${i}`);
    await world.settle();
    const waiting = { reason: "ImagePullBackOff", message: "Back-off pulling image: denied" };
    for (const { metadata } of (await client.list(Job)).items) {
      const { name = "", uid = "" } = metadata;
      const owner = { apiVersion: "batch/v1", kind: "Job", name, uid, controller: true };
      const ref = { namespace, name: `${name}-x` };
      await client.create(Pod, {
        apiVersion: "v1",
        kind: "Pod",
        metadata: { ...ref, ownerReferences: [owner] },
        spec: { containers: [{ name: "discovery", image: "x" }] },
      });
      const container = {
        name: "discovery",
        image: "x",
        imageID: "",
        ready: false,
        restartCount: 0,
        state: { waiting },
      };
      const body = { status: { phase: "Pending", containerStatuses: [container] } };
      await client.patch(Pod, ref, { type: "merge", body }, { subresource: "status" });
    }
    await world.settle();
    await create("good");
    await world.settle();
    const good = await client.get(AIMServiceTemplate, { namespace, name: "good" });
    assert.equal(good.status?.status, "Progressing");
    const bad = await client.get(AIMServiceTemplate, { namespace, name: "bad0" });
    assert.deepEqual([bad.status?.status, reasonOf(bad, "Ready")], ["Degraded", "ImagePullAuthFailure"]);
  });

  test("a moved tag is inspected again by its new digest, while previous results are kept", async (t) => {
    const given = await stage(t);
    const { client, world, outside } = given;
    outside.image = recommending("MI300X");
    await client.create(AIMModel, model("foo"));
    await world.settle();
    await endJobs(given, "Complete");
    const only = async () => (await client.list(AIMServiceTemplate, { namespace })).items[0];
    assert.deepEqual([(await only())?.status?.status, reasonOf(await only(), "UpToDate")], ["Ready", "UpToDate"]);
    const digest = `sha256:${"b".repeat(64)}`;
    outside.image = { ...recommending("MI300X"), digest };
    outside.log = output.replaceAll("acme/Foo", "acme/Foo-2");
    await world.elapse(11 * 60_000);
    assert.deepEqual([(await only())?.status?.status, reasonOf(await only(), "UpToDate")], ["Ready", "ImageMoved"]);
    const asking = (await client.list(Job)).items.find(({ status }) => !status?.conditions?.length);
    assert.equal(asking?.spec?.template.spec?.containers[0]?.image, `ghcr.io/acme/aim-foo:1.0@${digest}`);
    await endJobs(given, "Failed");
    assert.deepEqual([(await only())?.status?.status, reasonOf(await only(), "UpToDate")], ["Ready", "JobFailed"]);
    await world.elapse(61_000);
    assert.equal(await endJobs(given, "Complete"), 1);
    const fresh = await only();
    assert.equal(reasonOf(fresh, "UpToDate"), "UpToDate");
    assert.equal(fresh?.status?.discovery?.imageDigest, digest);
    assert.equal(fresh?.status?.modelSources?.[0]?.sourceUri, "hf://acme/Foo-2");
  });

  test("a user's template for a model counts toward its state and is not changed", async (t) => {
    const given = await stage(t);
    const { client, world } = given;
    await client.create(AIMModel, {
      ...model("foo"),
      spec: { image: "ghcr.io/acme/aim-foo:1.0", discovery: { enabled: false } },
    });
    await world.settle();
    const now = () => client.get(AIMModel, { namespace, name: "foo" });
    assert.equal((await now()).status?.status, "Ready");
    const spec = { aimImageName: "foo", gpuSelector: { model: "MI210" } };
    const metadata = { name: "by-hand", namespace };
    await client.create(AIMServiceTemplate, { apiVersion, kind: "AIMServiceTemplate", metadata, spec });
    await world.settle();
    assert.equal((await now()).status?.status, "NotAvailable");
    assert.match(
      (await now()).status?.conditions?.find(({ type }) => type === "Ready")?.message ?? "",
      /No node has GPU model MI210/,
    );
    await client.delete(AIMModel, { namespace, name: "foo" });
    await world.settle();
    assert.equal((await client.get(AIMServiceTemplate, { namespace, name: "by-hand" })).status?.status, "NotAvailable");
  });

  test("a missing Secret is reported; after it is created, the registry is queried", async (t) => {
    const { client, world, outside } = await stage(t);
    await client.create(AIMModel, model("foo", { imagePullSecrets: [{ name: "reg" }] }));
    await world.settle();
    const now = () => client.get(AIMModel, { namespace, name: "foo" });
    assert.deepEqual([(await now()).status?.status, reasonOf(await now(), "Ready")], ["Failed", "SecretNotFound"]);
    assert.equal(outside.asked.image, 0);
    await client.create(Secret, { apiVersion: "v1", kind: "Secret", metadata: { name: "reg", namespace }, data: {} });
    // A missing Secret is looked up again every 5 s.
    await world.elapse(5_000);
    assert.equal(outside.asked.image, 1);
    assert.equal((await now()).status?.status, "Progressing");
  });

  test("a registry that does not respond for a while recovers automatically, and nothing is deleted", async (t) => {
    const { client, world, outside } = await stage(t);
    outside.image = new Error("the server answered 503");
    await client.create(AIMModel, model("foo"));
    await world.settle();
    const now = () => client.get(AIMModel, { namespace, name: "foo" });
    assert.deepEqual(
      [(await now()).status?.status, reasonOf(await now(), "Ready")],
      ["Degraded", "MetadataExtractionFailed"],
    );
    outside.image = recommending("MI300X");
    await world.elapse(10_000);
    assert.equal((await client.list(AIMServiceTemplate, { namespace })).items.length, 1);
    outside.image = new Error("gone");
    await world.elapse(3_600_000);
    assert.equal((await client.list(AIMServiceTemplate, { namespace })).items.length, 1);
    assert.equal(reasonOf(await now(), "MetadataExtracted"), "MetadataExtracted");
  });

  test("a source creates models for found images, also later ones, and never deletes one", async (t) => {
    const { client, world, outside } = await stage(t);
    const spec = { filters: [{ image: "acme/aim-*", versions: [">=1.0.0"] }], syncInterval: "30m" };
    await client.create(AIMClusterModelSource, {
      apiVersion,
      kind: "AIMClusterModelSource",
      metadata: { name: "amd" },
      spec,
    });
    await world.settle();
    const models = async () => (await client.list(AIMClusterModel)).items.map(({ spec: { image } }) => image).sort();
    assert.deepEqual(await models(), ["acme/aim-a:1.0.0"]);
    assert.equal((await client.list(AIMClusterServiceTemplate)).items.length, 2);
    outside.tags = ["1.1.0", "latest"];
    await world.elapse(31 * 60_000);
    assert.deepEqual(await models(), ["acme/aim-a:1.0.0", "acme/aim-a:1.1.0"]);
    const source = await client.get(AIMClusterModelSource, { name: "amd" });
    assert.deepEqual(
      [source.status?.status, source.status?.discoveredModels, source.status?.availableModels],
      ["Ready", 2, 1],
    );
  });

  test("a recreated source adopts the models of its predecessor and does not change those of another source", async (t) => {
    const { client, world } = await stage(t);
    const source = (name: string) => ({
      apiVersion,
      kind: "AIMClusterModelSource",
      metadata: { name },
      spec: { filters: [{ image: "acme/aim-a:1.0.0" }, { image: "acme/aim-b:1.0.0" }] },
    });
    const labels = { "aim.silogen.ai/model-source": "amd" };
    await client.create(AIMClusterModel, {
      apiVersion,
      kind: "AIMClusterModel",
      metadata: { name: "orphan", labels },
      spec: { image: "acme/aim-a:1.0.0" },
    });
    await client.create(AIMClusterModelSource, source("amd"));
    await world.settle();
    await client.create(AIMClusterModelSource, source("other"));
    await world.settle();
    const owners = (await client.list(AIMClusterModel)).items.map(({ metadata, spec }) => [
      spec.image,
      metadata.ownerReferences?.[0]?.name,
    ]);
    assert.deepEqual(owners.sort(), [
      ["acme/aim-a:1.0.0", "amd"],
      ["acme/aim-a:1.0.0", "other"],
      ["acme/aim-b:1.0.0", "amd"],
    ]);
    const { status } = await client.get(AIMClusterModelSource, { name: "other" });
    assert.deepEqual([status?.status, status?.discoveredModels, status?.availableModels], ["Ready", 1, 2]);
  });

  test("paused objects are not changed", async (t) => {
    const { client, world } = await stage(t);
    const paused = model("foo");
    const annotations = { "aim.silogen.ai/reconciliation-paused": "true" };
    await client.create(AIMModel, { ...paused, metadata: { ...paused.metadata, annotations } });
    await world.settle();
    assert.equal((await client.get(AIMModel, { namespace, name: "foo" })).status?.conditions, undefined);
    assert.equal((await client.list(AIMServiceTemplate, { namespace })).items.length, 0);
  });
});
