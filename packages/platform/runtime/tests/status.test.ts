import assert from "node:assert/strict";
import { test } from "node:test";
import { Deployment, Event, type KubeClient } from "@trivium/kube";
import type { Reconciler } from "@trivium/reconcile";
import { ClusterPalette, clusterPalette, Palette, palette, Sample, sample } from "./sample.ts";
import { readyOf, ref, sampleCluster } from "./sample-cluster.ts";

test("a status never lies: generation, transition times, one root cause", async () => {
  const { client, clock, settle, elapse } = await sampleCluster();
  await client.create(Sample, sample("a"));
  await settle();
  const waiting = await readyOf(client, "a");
  assert.deepEqual(
    { ...waiting, lastTransitionTime: "" },
    {
      type: "Ready",
      status: "False",
      reason: "NoPalette",
      message: "Palette spring does not exist; create it",
      observedGeneration: 1,
      lastTransitionTime: "",
    },
  );
  await elapse(5_000);
  await client.patch(Sample, ref("a"), { type: "merge", body: { spec: { palette: "summer" } } });
  await settle();
  const still = await readyOf(client, "a");
  assert.equal(still.observedGeneration, 2);
  assert.equal(still.lastTransitionTime, waiting.lastTransitionTime);
  await elapse(5_000);
  await client.create(ClusterPalette, clusterPalette("summer", "blue"));
  await settle();
  const bound = await readyOf(client, "a");
  assert.equal(bound.status, "True");
  assert.equal(Date.parse(bound.lastTransitionTime), clock.now());
});

test("events are told once, counted when they return, and not told again by a successor", async () => {
  const first = await sampleCluster();
  const { cluster } = first;
  const { client } = first;
  const reported = async () =>
    Object.fromEntries((await client.list(Event, {})).items.map(({ reason, count }) => [reason ?? "", count]));
  await client.create(Palette, palette("spring", "red"));
  await client.create(Sample, sample("a"));
  await first.elapse(1_000);
  assert.deepEqual(await reported(), { Bound: 1 });
  await client.delete(Palette, ref("spring"));
  await first.elapse(1_000);
  await client.create(Palette, palette("spring", "red"));
  await first.elapse(1_000);
  assert.deepEqual(await reported(), { NoPalette: 1, Bound: 2 });
  await first.stop();
  const second = await sampleCluster({ cluster });
  await second.elapse(1_000);
  assert.deepEqual(second.writes, [], "a restart over a world at rest writes nothing");
});

const pod = { metadata: { labels: { app: "a" } }, spec: { containers: [{ name: "a", image: "a" }] } };
const counting: Reconciler<Sample, number> = {
  name: "garden.counting",
  kind: Sample,
  reads: [],
  writes: [Deployment],
  observe: ({ metadata }, reader) => {
    const vase = reader.get(Deployment, { namespace: metadata.namespace, name: "vase" });
    return vase.is === "known" ? (vase.value.status?.replicas ?? 0) : 0;
  },
  decide: (_, flowers) => ({
    do: "converge",
    children: [
      {
        kind: Deployment,
        object: {
          apiVersion: "apps/v1",
          kind: "Deployment",
          metadata: { name: "vase" },
          spec: { selector: { matchLabels: { app: "a" } }, template: pod },
        },
      },
    ],
    status: { flowers },
  }),
};

test("the first status is written once, with what the controllers of new children have reported by then", async () => {
  const between = (client: KubeClient): KubeClient => ({
    ...client,
    apply: async (kind, object, options) => {
      const applied = await client.apply(kind, object, options);
      const body = { status: { replicas: 1 } };
      if (kind.kind === "Deployment")
        await client.patch(Deployment, ref("vase"), { type: "merge", body }, { subresource: "status" });
      return applied;
    },
  });
  const { client, settle, writes } = await sampleCluster({ reconcilers: [counting], between });
  await client.create(Sample, sample("a"));
  await settle();
  assert.deepEqual(writes, ["apply Deployment", "apply Sample"]);
  assert.equal((await client.get(Sample, ref("a"))).status?.flowers, 1);
  await client.delete(Deployment, ref("vase"));
  await settle();
  assert.deepEqual(
    writes.slice(2, 4),
    ["apply Deployment", "apply Sample"],
    "a status that exists is kept true at once",
  );
});
