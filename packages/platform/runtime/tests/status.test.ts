import assert from "node:assert/strict";
import { test } from "node:test";
import { Event } from "@trivium/kube";
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
