import assert from "node:assert/strict";
import { test } from "node:test";
import { ConfigMap, Deployment, type KubeClient } from "@trivium/kube";
import type { Reconciler } from "@trivium/reconcile";
import type { JsonObject } from "@trivium/std";
import { Sample, sample } from "./sample.ts";
import { ref, sampleCluster } from "./sample-cluster.ts";

/** Its child is a ConfigMap, and of a Deployment it observes the number of replicas alone. */
const watering: Reconciler<Sample, number> = {
  name: "garden.watering",
  kind: Sample,
  reads: [Deployment],
  writes: [ConfigMap],
  observe: ({ metadata }, reader) => {
    const vase = reader.get(Deployment, { namespace: metadata.namespace, name: "vase" });
    return vase.is === "known" ? (vase.value.status?.replicas ?? 0) : 0;
  },
  decide: (_, flowers, now) => ({
    do: "converge",
    children: [
      {
        kind: ConfigMap,
        object: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "can" }, data: { flowers: `${flowers}` } },
      },
    ],
    status: { flowers: now < dry ? flowers : 0 },
    ...(now < dry ? { recheckIn: dry - now } : {}),
  }),
};
let dry = Number.POSITIVE_INFINITY;

const vase: Deployment = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "vase", namespace: "default" },
  spec: {
    selector: { matchLabels: { app: "a" } },
    template: { metadata: { labels: { app: "a" } }, spec: { containers: [{ name: "a", image: "a" }] } },
  },
};

async function start(reconciler: Reconciler<Sample, number> = watering) {
  dry = Number.POSITIVE_INFINITY;
  const world = await sampleCluster({ reconcilers: [{ ...reconciler }] });
  const count = async (metric: string): Promise<number> => {
    const values = (await world.runtime.registry.getSingleMetric(metric)?.get())?.values ?? [];
    return values.reduce((sum, { value }) => sum + value, 0);
  };
  await world.client.create(Deployment, vase);
  await world.client.create(Sample, sample("a"));
  await world.settle();
  return {
    ...world,
    passes: () => count("trivium_passes_total"),
    unchanged: () => count("trivium_unchanged_observations_total"),
  };
}

const report = (client: KubeClient, status: JsonObject): Promise<unknown> =>
  client.patch(Deployment, ref("vase"), { type: "merge", body: { status } }, { subresource: "status" });

test("a change that leaves what is observed as it was needs no pass; one that does not is followed", async () => {
  const { client, settle, passes, unchanged } = await start();
  const before = { passes: await passes(), unchanged: await unchanged() };
  await report(client, { observedGeneration: 7 });
  await settle();
  assert.deepEqual([await passes(), await unchanged()], [before.passes, before.unchanged + 1]);
  await report(client, { replicas: 2 });
  await settle();
  assert.ok((await passes()) > before.passes);
  assert.equal((await client.get(ConfigMap, ref("can"))).data?.flowers, "2");
});

test("a child that somebody changes or deletes is applied again, although nothing else is observed", async () => {
  const { client, settle } = await start();
  await client.patch(ConfigMap, ref("can"), { type: "merge", body: { data: { flowers: "many" } } });
  await settle();
  assert.equal((await client.get(ConfigMap, ref("can"))).data?.flowers, "0");
  await client.delete(ConfigMap, ref("can"));
  await settle();
  assert.equal((await client.get(ConfigMap, ref("can"))).data?.flowers, "0");
});

test("a change that needs no pass does not put off what time alone changes", async () => {
  const { client, clock, settle, elapse } = await start();
  dry = clock.now() + 10_000;
  await report(client, { replicas: 3 });
  await settle();
  assert.equal((await client.get(Sample, ref("a"))).status?.flowers, 3);
  await elapse(6_000);
  await report(client, { observedGeneration: 8 });
  await settle();
  await elapse(5_000);
  assert.equal((await client.get(Sample, ref("a"))).status?.flowers, 0);
});

test("a pass that wrote the status alone is followed by none, where the decision recalls nothing of it", async () => {
  const passesFor = async (reconciler: Reconciler<Sample, number>): Promise<number> => {
    const { client, settle, passes } = await start(reconciler);
    const before = await passes();
    await report(client, { replicas: 2 });
    await settle();
    await report(client, { replicas: 3 });
    await settle();
    assert.equal((await client.get(Sample, ref("a"))).status?.flowers, 3);
    assert.equal((await client.get(ConfigMap, ref("can"))).data?.flowers, "3");
    return (await passes()) - before;
  };
  const still: Reconciler<Sample, number> = {
    ...watering,
    decide: (object, flowers, now) => ({ ...watering.decide(object, 3, now), status: { flowers } }),
  };
  // The child changes once and the status twice; each write of the status alone causes one pass more where all of it counts.
  assert.equal(await passesFor({ ...still, recalls: () => undefined }), 2);
  assert.equal(await passesFor(still), 4);
});

test("a status that ends what is observed causes no pass more, a change of something else does", async () => {
  // What is reported is not looked at any more.
  const choosing: Reconciler<Sample, number> = {
    ...watering,
    observe: (object, reader) => (object.status?.flowers === 3 ? 3 : watering.observe(object, reader)),
    decide: (object, flowers, now) => ({ ...watering.decide(object, 3, now), status: { flowers } }),
    recalls: () => undefined,
  };
  for (const [reconciler, expected] of [
    [choosing, 1],
    [{ ...choosing, recalls: ({ status }: Sample) => status }, 2],
  ] as const) {
    const { client, settle, passes } = await start(reconciler);
    const before = await passes();
    await report(client, { replicas: 3 });
    await settle();
    assert.equal((await client.get(Sample, ref("a"))).status?.flowers, 3);
    assert.equal((await passes()) - before, expected);
    const edited = await passes();
    await report(client, { replicas: 2 });
    await settle();
    assert.equal((await client.get(Sample, ref("a"))).status?.flowers, 3, "the Deployment is not read any more");
    assert.equal(await passes(), edited);
    await client.delete(ConfigMap, ref("can"));
    await settle();
    assert.equal((await client.get(ConfigMap, ref("can"))).data?.flowers, "3");
  }
});

test("a spec that is edited while the status is written is not missed", async () => {
  const { client, settle } = await start({
    ...watering,
    decide: (object, flowers, now) => ({
      ...watering.decide(object, flowers, now),
      status: { flowers: object.metadata.annotations?.flowers === undefined ? flowers : 9 },
    }),
    recalls: () => undefined,
  });
  await report(client, { replicas: 2 });
  await client.patch(Sample, ref("a"), { type: "merge", body: { metadata: { annotations: { flowers: "9" } } } });
  await settle();
  assert.equal((await client.get(Sample, ref("a"))).status?.flowers, 9);
});
