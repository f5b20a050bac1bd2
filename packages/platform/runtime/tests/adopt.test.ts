import assert from "node:assert/strict";
import { type after, test } from "node:test";
import { ConfigMap, Deployment, Event, HorizontalPodAutoscaler, Job, type KubeObject, Namespace } from "@trivium/kube";
import type { Reconciler } from "@trivium/reconcile";
import type { AdoptPolicy } from "@trivium/runtime";
import type { JsonObject } from "@trivium/std";
import { type Cluster, Sample, sample, startCluster, startWorld } from "@trivium/testkit";

const at = { namespace: "default", name: "chat" };
const upstream = { fieldManager: "manager" };
const upstreamFinalizer = "samples.upstream.example/finalizer";

/** How we render what the upstream operator has rendered in its own way. */
const gardener: Reconciler<Sample, null> = {
  name: "garden.gardener",
  kind: Sample,
  podMark: "garden.example/template",
  upstream: {
    name: "Upstream",
    managers: ["manager"],
    namespaces: ["upstream-system"],
    leases: [],
    finalizers: [upstreamFinalizer],
  },
  reads: [],
  writes: [Deployment, HorizontalPodAutoscaler, Job],
  observe: () => null,
  decide: ({ metadata: { name = "", generation = 0 }, spec }) => {
    const container = { name: "server", image: "ours:1", env: [{ name: "PALETTE", value: spec.palette }] };
    const volumes = [{ name: "weights", persistentVolumeClaim: { claimName: "weights" } }];
    const ready = { type: "Ready", status: "True", reason: "R", message: "m", observedGeneration: generation };
    return {
      do: "converge",
      children: [
        { kind: Deployment, object: deployment(name, { containers: [container], volumes }) },
        { kind: Job, object: job(name, "ours:1") },
      ],
      status: { conditions: [ready] } as never,
    };
  },
};

function deployment(name: string, pod: JsonObject): Deployment {
  const labels = { app: name };
  const template = { metadata: { labels }, spec: pod };
  const spec = { selector: { matchLabels: labels }, template };
  return { apiVersion: "apps/v1", kind: "Deployment", metadata: { name }, spec } as unknown as Deployment;
}

function job(name: string, image: string): Job {
  const template = { spec: { restartPolicy: "Never", containers: [{ name: "fetch", image }] } };
  return { apiVersion: "batch/v1", kind: "Job", metadata: { name }, spec: { template } } as unknown as Job;
}

/** A cluster as the upstream operator leaves it: a service that runs, its children, its status, its finalizer. */
async function left(t: { after: typeof after }): Promise<Cluster> {
  const cluster = await startCluster([Sample]);
  t.after(() => cluster.close());
  const { client } = cluster;
  const made = await client.create(Sample, sample("chat"));
  const body = { metadata: { finalizers: [upstreamFinalizer] } };
  await client.patch(Sample, at, { type: "merge", body }, upstream);
  const conditionOf = (type: string) => ({ type, status: "True", reason: "R", message: "m" });
  const status = { status: { conditions: [conditionOf("Ready"), conditionOf("OfUpstream")] } };
  await client.patch(Sample, at, { type: "merge", body: status } as never, { ...upstream, subresource: "status" });
  const { apiVersion, kind, metadata } = made;
  const owner = { apiVersion, kind, name: "chat", uid: metadata.uid ?? "", controller: true };
  const own = <O extends KubeObject>(object: O): O => ({
    ...object,
    metadata: { ...object.metadata, namespace: "default", ownerReferences: [owner] },
  });
  const container = { name: "server", image: "theirs:9", command: ["theirs"], args: ["--fetch"] };
  const volumes = [{ name: "weights", emptyDir: {} }];
  const theirs = deployment("chat", { containers: [container], volumes });
  await client.create(Deployment, own({ ...theirs, spec: { ...theirs.spec, replicas: 3 } } as Deployment), upstream);
  const held = { metadata: { finalizers: ["other.example/held"] } };
  await client.patch(Deployment, at, { type: "merge", body: held }, upstream);
  await client.create(Job, own(job("chat", "theirs:9")), upstream);
  await client.create(HorizontalPodAutoscaler, own(autoscaler()), upstream);
  return cluster;
}

function autoscaler(): HorizontalPodAutoscaler {
  const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "chat" };
  return {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: { name: "chat" },
    spec: { scaleTargetRef, maxReplicas: 5 },
  } as unknown as HorizontalPodAutoscaler;
}

async function run(
  cluster: Cluster,
  adopt: AdoptPolicy,
  act: () => Promise<unknown> = async () => {},
  reconciler: Reconciler<Sample, null> = gardener,
) {
  const world = await startWorld({ cluster, reconcilers: [reconciler], release: "one", adopt });
  await world.settle();
  await act();
  await world.settle();
  await world.elapse(1_000);
  await world.stop();
  return world.writes;
}

const deploymentOf = ({ client }: Cluster): Promise<Deployment> => client.get(Deployment, at);
const podOf = ({ spec }: Deployment) => spec?.template.spec as JsonObject | undefined;
const containerOf = (object: Deployment) => object.spec?.template.spec?.containers[0];
const scalersOf = async ({ client }: Cluster) => (await client.list(HorizontalPodAutoscaler, {})).items.length;

test("a safe take-over restarts no pod, keeps the replicas, and leaves no field to the other operator", async (t) => {
  const cluster = await left(t);
  const before = await deploymentOf(cluster);
  await run(cluster, "safe");
  const after = await deploymentOf(cluster);
  assert.deepEqual(after.spec, before.spec);
  assert.equal(after.metadata.generation, before.metadata.generation);
  assert.deepEqual(after.metadata.finalizers, before.metadata.finalizers);
  const managers = after.metadata.managedFields?.map(({ manager }) => manager) ?? [];
  assert.ok(managers.includes("garden.gardener") && !managers.includes("manager"), String(managers));
  const { status } = (await cluster.client.get(Sample, at)) as { status?: { conditions?: { type: string }[] } };
  assert.deepEqual(
    status?.conditions?.map(({ type }) => type),
    ["Ready"],
    "no condition is left as the other operator wrote it",
  );
  assert.equal(await scalersOf(cluster), 0, "an autoscaler that no decision names would scale against ours");
  const events = (await cluster.client.list(Event, {})).items.filter(({ reason }) => reason === "PodsKept");
  assert.match(events[0]?.message ?? "", /keeps the pods of field manager manager; to update them, change the service/);
});

test("what a person changes after it brings our pods, with nothing of the other operator in them", async (t) => {
  const cluster = await left(t);
  await run(cluster, "safe");
  const body = { spec: { palette: "autumn" } };
  await run(cluster, "safe", () => cluster.client.patch(Sample, at, { type: "merge", body }));
  const now = await deploymentOf(cluster);
  const { image, command, args } = containerOf(now) ?? {};
  assert.deepEqual([image, command, args], ["ours:1", undefined, undefined]);
  assert.deepEqual(podOf(now)?.volumes, [{ name: "weights", persistentVolumeClaim: { claimName: "weights" } }]);
  assert.equal(now.spec?.replicas, 3);
});

test("an operator that came back in between and changed the pods is taken over again, without a restart", async (t) => {
  const cluster = await left(t);
  await run(cluster, "safe");
  const spec = { template: { spec: { containers: [{ name: "server", image: "theirs:10" }] } } };
  await cluster.client.patch(Deployment, at, { type: "strategic", body: { spec } } as never, upstream);
  const before = await deploymentOf(cluster);
  await run(cluster, "safe");
  const after = await deploymentOf(cluster);
  assert.deepEqual(after.spec, before.spec);
  assert.ok(!after.metadata.managedFields?.some(({ manager }) => manager === "manager"));
  const body = { spec: { palette: "autumn" } };
  await run(cluster, "safe", () => cluster.client.patch(Sample, at, { type: "merge", body }));
  assert.deepEqual(containerOf(await deploymentOf(cluster))?.command, undefined);
});

test("pods stay although our rendering changes, until the service itself does", async (t) => {
  const cluster = await left(t);
  await run(cluster, "safe");
  const before = await deploymentOf(cluster);
  const later: typeof gardener = {
    ...gardener,
    decide: (...args) => {
      const decision = gardener.decide(...args);
      if (decision.do !== "converge") return decision;
      const container = { name: "server", image: "ours:2" };
      return { ...decision, children: [{ kind: Deployment, object: deployment("chat", { containers: [container] }) }] };
    },
  };
  await run(cluster, "safe", undefined, later);
  assert.deepEqual((await deploymentOf(cluster)).spec, before.spec);
  const body = { spec: { palette: "autumn" } };
  await run(cluster, "safe", () => cluster.client.patch(Sample, at, { type: "merge", body }), later);
  assert.equal(containerOf(await deploymentOf(cluster))?.image, "ours:2");
});

test("a workload with another selector, or with more fields than ours, is kept whole", async (t) => {
  const cluster = await left(t);
  const { client } = cluster;
  const { metadata, spec } = await deploymentOf(cluster);
  await client.patch(Deployment, at, { type: "merge", body: { metadata: { finalizers: null } } });
  await client.delete(Deployment, at);
  const labels = { app: "chat", theirs: "yes" };
  const pod = podOf({ metadata, spec } as Deployment);
  const template = { metadata: { labels }, spec: { ...pod, nodeSelector: { disk: "fast" } } };
  const { ownerReferences = [] } = metadata;
  const other = { apiVersion: "apps/v1", kind: "Deployment" as const, metadata: { ...at, ownerReferences } };
  const content = { replicas: 3, selector: { matchLabels: labels }, template };
  await client.create(Deployment, { ...other, spec: content } as unknown as Deployment, upstream);
  const before = await deploymentOf(cluster);
  await run(cluster, "safe");
  const after = await deploymentOf(cluster);
  assert.deepEqual([after.metadata.uid, after.spec], [before.metadata.uid, before.spec]);
});

test("what the other operator created under another name is kept, also by a reconciler that controls the kind", async (t) => {
  const cluster = await left(t);
  const { decide, ...rest } = gardener;
  const controlling: Reconciler<Sample, null> = {
    ...rest,
    controls: [Deployment],
    decide: (object, observed, now) => {
      const decision = decide(object, observed, now);
      return decision.do === "converge" ? { ...decision, children: [] } : decision;
    },
  };
  const before = await deploymentOf(cluster);
  await run(cluster, "safe", undefined, controlling);
  assert.deepEqual(await deploymentOf(cluster), before);
  await run(cluster, "all", undefined, controlling);
  assert.ok((await deploymentOf(cluster)).metadata.deletionTimestamp);
});

test("an object that a person gave the same owner is not deleted", async (t) => {
  const cluster = await left(t);
  const { ownerReferences = [] } = (await deploymentOf(cluster)).metadata;
  const owners = ownerReferences.map(({ controller: _, ...owner }) => owner);
  const own = { ...autoscaler(), metadata: { name: "personal", namespace: "default", ownerReferences: owners } };
  await cluster.client.create(HorizontalPodAutoscaler, own, { fieldManager: "kubectl-create" });
  await run(cluster, "safe");
  assert.equal(await scalersOf(cluster), 1);
});

test("a full take-over brings our pods at once", async (t) => {
  const cluster = await left(t);
  await run(cluster, "all");
  const now = await deploymentOf(cluster);
  assert.deepEqual([containerOf(now)?.image, containerOf(now)?.command], ["ours:1", undefined]);
});

test("a Job of the other operator is used as it is", async (t) => {
  const cluster = await left(t);
  for (const adopt of ["safe", "all"] as const) await run(cluster, adopt);
  const { spec, metadata } = await cluster.client.get(Job, at);
  assert.equal(spec?.template.spec?.containers[0]?.image, "theirs:9");
  assert.equal(metadata.managedFields?.[0]?.manager, "manager");
});

test("without consent nothing of the other operator's objects is written, and new ones are served", async (t) => {
  for (const adopt of ["never", "plan"] as const) {
    const cluster = await left(t);
    const before = await deploymentOf(cluster);
    const writes = await run(cluster, adopt);
    assert.deepEqual(
      writes.filter((write) => write !== "create Event"),
      [],
    );
    assert.deepEqual(await deploymentOf(cluster), before);
    await cluster.client.create(Sample, sample("new"));
    await run(cluster, adopt);
    assert.equal(containerOf(await cluster.client.get(Deployment, { ...at, name: "new" }))?.image, "ours:1");
  }
});

test("with `never` no other reconciler writes the status of an object that the other operator serves", async (t) => {
  const painted = { type: "Painted", status: "True", reason: "R", message: "m", observedGeneration: 1 };
  const painter: Reconciler<Namespace, null> = {
    name: "garden.painter",
    kind: Namespace,
    keepsStatus: true,
    only: { name: "default" },
    reads: [Sample],
    writes: [],
    observe: (_, reader) => {
      reader.list(Sample, {});
      return null;
    },
    decide: ({ status = {} }) => ({
      do: "converge",
      children: [],
      status,
      patches: [{ patch: "status", kind: Sample, ref: at, status: { conditions: [painted] } }],
    }),
  };
  const isPainted = async (cluster: Cluster): Promise<boolean> =>
    JSON.stringify(await cluster.client.get(Sample, at)).includes("Painted");
  for (const adopt of ["never", "safe"] as const) {
    const cluster = await left(t);
    const world = await startWorld({ cluster, reconcilers: [painter], release: "one", adopt });
    await world.settle();
    await world.elapse(1_000);
    await world.stop();
    assert.equal(await isPainted(cluster), adopt === "safe", adopt);
  }
});

test("with `plan` the take-over is reported as an Event and in the log, once, and nothing is changed", async (t) => {
  const cluster = await left(t);
  const before = await deploymentOf(cluster);
  const lines: string[] = [];
  const log = { debug() {}, info: (_: object, text: string) => lines.push(text), warn() {}, error() {} };
  const world = await startWorld({ cluster, reconcilers: [gardener], release: "one", adopt: "plan", log });
  await world.settle();
  await cluster.client.patch(Sample, at, { type: "merge", body: { metadata: { labels: { seen: "yes" } } } });
  await world.settle();
  const events = (await cluster.client.list(Event, {})).items;
  const metrics = await world.runtime.registry.getSingleMetricAsString("trivium_planned_take_over_objects");
  await world.stop();
  assert.deepEqual(
    events.map(({ reason, message, count }) => [reason, message, count]),
    [
      [
        "TakeOverPlanned",
        "Nothing is changed with --adopt=plan. With --adopt=safe the operator " +
          "deletes HorizontalPodAutoscaler default/chat; keeps the pods of Deployment default/chat; leaves alone Job default/chat",
        1,
      ],
    ],
  );
  assert.deepEqual(lines, ["planned a take-over; nothing is changed with --adopt=plan"]);
  assert.match(metrics, /\{reconciler="garden.gardener",outcome="kept"\} 1/);
  assert.deepEqual(await deploymentOf(cluster), before);
  assert.deepEqual(world.writes, ["create Event"]);
});

test("an operator that keeps writing the same fields is reported once, and not answered in a loop", async (t) => {
  const cluster = await left(t);
  const world = await startWorld({ cluster, reconcilers: [gardener], release: "one", adopt: "safe" });
  const fight = async (i: number): Promise<void> => {
    const spec = { template: { spec: { containers: [{ name: "server", image: `theirs:1${i}` }] } } };
    await cluster.client.patch(Deployment, at, { type: "strategic", body: { spec } } as never, upstream);
    const status = { conditions: [{ type: "OfUpstream", status: "True", reason: "R", message: "m" }] };
    await cluster.client.patch(Sample, at, { type: "merge", body: { status } } as never, {
      ...upstream,
      subresource: "status",
    });
    await world.settle();
    await world.elapse(1_000);
  };
  for (let i = 0; i < 5; i += 1) await fight(i);
  world.writes.length = 0;
  for (let i = 5; i < 15; i += 1) await fight(i);
  const applied = world.writes.filter((write) => !write.endsWith("Event"));
  assert.ok(applied.length <= 4, applied.join(", "));
  const contested = (await cluster.client.list(Event, {})).items.filter(({ reason }) => reason === "Contested");
  assert.deepEqual(contested.map(({ message }) => message).sort(), [
    "Deployment default/chat is also written by field manager manager of Upstream; stop one of the two operators",
    "Status of Sample chat is also written by field manager manager of Upstream; stop one of the two operators",
  ]);
  // The other operator is stopped: ours has the last word.
  await world.elapse(700_000);
  await world.stop();
  const managers = (await deploymentOf(cluster)).metadata.managedFields?.map(({ manager }) => manager) ?? [];
  assert.ok(!managers.includes("manager"), String(managers));
});

test("a deleted object is not held by the finalizer of the other operator, except where nobody agreed", async (t) => {
  const cluster = await left(t);
  await cluster.client.delete(Sample, at);
  await run(cluster, "never");
  assert.ok((await cluster.client.get(Sample, at)).metadata.deletionTimestamp);
  await run(cluster, "safe");
  await assert.rejects(cluster.client.get(Sample, at), /not found/);
});

test("a process that ends between the two writes of a take-over leaves the pods running", async (t) => {
  const cluster = await left(t);
  const before = await deploymentOf(cluster);
  const broken = await startWorld({
    cluster,
    reconcilers: [gardener],
    release: "one",
    between: (client) => ({ ...client, apply: async () => Promise.reject(new Error("gone")) }),
  });
  await broken.settle();
  await broken.stop();
  await run(cluster, "safe");
  const after = await deploymentOf(cluster);
  assert.deepEqual(after.spec, before.spec);
  const managers = after.metadata.managedFields?.map(({ manager }) => manager) ?? [];
  assert.ok(managers.includes("garden.gardener") && !managers.includes("manager"), String(managers));
});

test("the plan is kept in a ConfigMap, also while the other operator runs; with another policy it is deleted", async (t) => {
  const cluster = await left(t);
  const plan = async () =>
    (await cluster.client.list(ConfigMap, { fieldSelector: "metadata.name=trivium-take-over-plan" })).items[0]?.data;
  const start = (adopt: AdoptPolicy) =>
    startWorld({ cluster, reconcilers: [gardener], release: "one", adopt, planNamespace: "default" });

  const world = await start("plan");
  world.runtime.rest(new Set([gardener.name]));
  await cluster.client.patch(Sample, at, { type: "merge", body: { metadata: { labels: { seen: "yes" } } } });
  await world.elapse(2_000);
  const steps = ["deletes HorizontalPodAutoscaler", "keeps the pods of Deployment", "leaves alone Job"];
  assert.deepEqual(await plan(), {
    policy: "plan",
    summary: "1 object of an upstream operator; of what it created: 1 deleted, 1 kept, 1 left",
    "garden.gardener": ["Sample default/chat", ...steps.map((step) => `  ${step} default/chat`), ""].join("\n"),
  });

  await cluster.client.delete(HorizontalPodAutoscaler, at);
  await world.elapse(2_000);
  assert.match((await plan())?.summary ?? "", /: 1 kept, 1 left$/);
  await world.stop();

  await (await start("never")).stop();
  assert.equal(await plan(), undefined);
  await (await start("plan")).stop();
  await (await start("safe")).stop();
  assert.equal(await plan(), undefined);
});

test("the plan of a cluster without an upstream operator says so", async (t) => {
  const cluster = await startCluster([Sample]);
  t.after(() => cluster.close());
  await cluster.client.create(Sample, sample("new"));
  const options = {
    cluster,
    reconcilers: [gardener],
    release: "one",
    adopt: "plan",
    planNamespace: "default",
  } as const;
  await (await startWorld(options)).stop();
  const { data } = await cluster.client.get(ConfigMap, { namespace: "default", name: "trivium-take-over-plan" });
  assert.deepEqual(data, {
    policy: "plan",
    summary: "No objects of an upstream operator found; nothing to take over",
  });
});
