import assert from "node:assert/strict";
import { type after, test } from "node:test";
import { Deployment, Event } from "@trivium/kube";
import type { Reconciler } from "@trivium/reconcile";
import type { JsonObject } from "@trivium/std";
import { type Cluster, Sample, sample, startCluster, startWorld } from "@trivium/testkit";

interface Render {
  readonly image: string;
  /** A variable that only this release sets. */
  readonly variable?: string;
}

/** A release of the operator: how it renders the pods of a sample whose palette is an input. */
const release = ({ image, variable }: Render): Reconciler<Sample, null> => ({
  name: "garden.release",
  kind: Sample,
  podMark: "garden.example/template",
  reads: [],
  writes: [Deployment],
  observe: () => null,
  decide: ({ metadata: { name = "", generation = 0 }, spec }) => {
    const selector = { matchLabels: { app: name } };
    const env = [...(variable === undefined ? [] : [{ name: variable }]), { name: "PALETTE", value: spec.palette }];
    const template = { metadata: { labels: selector.matchLabels }, spec: { containers: [{ name: "a", image, env }] } };
    const metadata = { name };
    const object: Deployment = {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata,
      spec: { replicas: spec.flowers, selector, template },
    };
    const ready = { type: "Ready", status: "True", reason: "R", message: "m", observedGeneration: generation };
    return {
      do: "converge",
      children: [{ kind: Deployment, object }],
      status: { conditions: [ready] } as never,
    };
  },
});

/** Runs a release until it is quiet. */
async function run(cluster: Cluster, name: string, render: Render, act: () => Promise<unknown> = async () => {}) {
  const world = await startWorld({ cluster, reconcilers: [release(render)], release: name });
  await world.settle();
  await act();
  await world.settle();
  await world.elapse(1_000);
  await world.stop();
}

const at = { namespace: "default", name: "chat" };

async function prepared(t: { after: typeof after }): Promise<Cluster> {
  const cluster = await startCluster([Sample]);
  t.after(() => cluster.close());
  await cluster.client.create(Sample, sample("chat"));
  return cluster;
}

const imageOf = async ({ client }: Cluster): Promise<string | undefined> =>
  (await client.get(Deployment, at)).spec?.template.spec?.containers[0]?.image;

const patch = (cluster: Cluster, spec: JsonObject) =>
  cluster.client.patch(Sample, at, { type: "merge", body: { spec } });

test("another release keeps the pods that serve, again after it restarts, and scales them", async (t) => {
  const cluster = await prepared(t);
  await run(cluster, "one", { image: "a:1" });
  const before = await cluster.client.get(Deployment, at);
  await run(cluster, "two", { image: "a:2", variable: "NEW" });
  await run(cluster, "two", { image: "a:2", variable: "NEW" });
  const { spec } = await cluster.client.get(Deployment, at);
  assert.deepEqual(spec?.template, before.spec?.template);
  const events = (await cluster.client.list(Event, {})).items.filter(({ reason }) => reason === "PodsKept");
  assert.match(events[0]?.message ?? "", /keeps the pods of the previous release.*trivium.dev\/rendered/);
  assert.equal(events.length, 1, "told once");
});

test("an input that changes under the new release brings its pods; so does one that changed before it came", async (t) => {
  const cluster = await prepared(t);
  await run(cluster, "one", { image: "a:1" });
  await run(cluster, "two", { image: "a:2" }, () => patch(cluster, { palette: "autumn" }));
  assert.equal(await imageOf(cluster), "a:2");
  await patch(cluster, { palette: "winter" });
  await run(cluster, "three", { image: "a:3" });
  assert.equal(await imageOf(cluster), "a:3");
});

test("within one release every change is carried out at once, and a foreign change is undone", async (t) => {
  const cluster = await prepared(t);
  await run(cluster, "one", { image: "a:1" });
  await run(cluster, "one", { image: "a:2" });
  assert.equal(await imageOf(cluster), "a:2");
  const body = { spec: { template: { spec: { containers: [{ name: "a", image: "stranger" }] } } } };
  await run(cluster, "one", { image: "a:2" }, () =>
    cluster.client.patch(Deployment, at, { type: "strategic", body } as never),
  );
  assert.equal(await imageOf(cluster), "a:2");
});

test("an administrator asks for the pods of this release by the annotation", async (t) => {
  const cluster = await prepared(t);
  await run(cluster, "one", { image: "a:1" });
  const body = { metadata: { annotations: { "trivium.dev/rendered": "outdated" } } };
  await run(cluster, "two", { image: "a:2" }, async () => {
    assert.equal(await imageOf(cluster), "a:1");
    await cluster.client.patch(Deployment, at, { type: "merge", body });
  });
  assert.equal(await imageOf(cluster), "a:2");
});

test("pods of an operator that recorded nothing are kept too, if it had seen the object as it is", async (t) => {
  const cluster = await prepared(t);
  const world = await startWorld({ cluster, reconcilers: [release({ image: "a:0" })] });
  await world.settle();
  await world.stop();
  await run(cluster, "one", { image: "a:1" });
  assert.equal(await imageOf(cluster), "a:0");
  await run(cluster, "one", { image: "a:1" }, () => patch(cluster, { flowers: 5 }));
  assert.equal((await cluster.client.get(Deployment, at)).spec?.replicas, 5);
  assert.equal(await imageOf(cluster), "a:0", "a change of the scale alone restarts nothing");
});
