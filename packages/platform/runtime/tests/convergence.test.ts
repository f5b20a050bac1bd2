import assert from "node:assert/strict";
import { test } from "node:test";
import { ConfigMap, isReason, type KubeClient } from "@trivium/kube";
import { answer } from "@trivium/reconcile";
import { type Cluster, type Fault, startCluster, startWorld, turns } from "@trivium/testkit";
import fc from "fast-check";
import { flowerPrice, Palette, palette, palettes, Sample, sample, sampleReconciler } from "./sample.ts";

/** What users do to the world. Each ends in the same place whoever comes first, because each writes a thing of its own. */
type Deed =
  | { readonly do: "plant"; readonly sample: number; readonly flowers: number }
  | { readonly do: "trample"; readonly sample: number; readonly flower: number }
  | { readonly do: "paint"; readonly colour: string }
  | { readonly do: "uproot"; readonly sample: number }
  | { readonly do: "cut-watches" }
  | { readonly do: "black-out" }
  | { readonly do: "forget-history" }
  | { readonly do: "wait"; readonly ms: number };

const deed: fc.Arbitrary<Deed> = fc.oneof(
  fc.record({ do: fc.constant("plant" as const), sample: fc.nat(2), flowers: fc.nat(3) }),
  fc.record({ do: fc.constant("trample" as const), sample: fc.nat(2), flower: fc.nat(2) }),
  fc.record({ do: fc.constant("paint" as const), colour: fc.constantFrom("red", "blue", "white") }),
  fc.record({ do: fc.constant("uproot" as const), sample: fc.nat(2) }),
  fc.record({ do: fc.constant("cut-watches" as const) }),
  fc.record({ do: fc.constant("black-out" as const) }),
  fc.record({ do: fc.constant("forget-history" as const) }),
  fc.record({ do: fc.constant("wait" as const), ms: fc.nat(2_000) }),
);

const fault: fc.Arbitrary<Fault> = fc.constantFrom(
  "none",
  "slow",
  "refused",
  "conflict",
  "lost-answer",
  "repeat",
  "disconnect",
  "gone",
);

async function act(cluster: Cluster, deed: Deed): Promise<void> {
  const { client } = cluster;
  const ref = (name: string) => ({ namespace: "default", name });
  switch (deed.do) {
    case "plant":
      await upsert(client, `b${deed.sample}`, deed.flowers);
      return;
    case "trample":
      return ignoringAbsent(client.delete(ConfigMap, ref(`b${deed.sample}-${deed.flower}`)));
    case "paint":
      await client.patch(Palette, ref("spring"), { type: "merge", body: { spec: { colour: deed.colour } } });
      return;
    case "uproot":
      return ignoringAbsent(client.delete(Sample, ref(`b${deed.sample}`)));
    case "cut-watches":
      return cluster.cutWatches();
    case "black-out":
      // The second cut finds watches that brought nothing, and they are not resumed before time passes.
      cluster.cutWatches();
      await turns();
      cluster.cutWatches();
      return turns();
    case "forget-history":
      return cluster.forgetHistory();
    case "wait":
      return;
  }
}

async function upsert(client: KubeClient, name: string, flowers: number): Promise<void> {
  await client.create(Sample, sample(name, { flowers })).catch(async (error: unknown) => {
    if (!isReason(error, "AlreadyExists")) throw error;
    const body = { spec: { flowers } };
    await client.patch(Sample, { namespace: "default", name }, { type: "merge", body }).catch(async (gone: unknown) => {
      // It was being deleted, and is deleted now.
      if (!isReason(gone, "NotFound")) throw gone;
      await upsert(client, name, flowers);
    });
  });
}

async function ignoringAbsent(call: Promise<void>): Promise<void> {
  await call.catch((error: unknown) => {
    if (!isReason(error, "NotFound")) throw error;
  });
}

/** The garden as it should be in the end, read off the users' objects alone. */
function expected(samples: readonly Sample[], colour: string): Record<string, string> {
  const flowers: Record<string, string> = {};
  for (const { metadata, spec } of samples) {
    for (let i = 0; i < spec.flowers; i += 1) flowers[`${metadata.name}-${i}`] = colour;
  }
  return flowers;
}

async function run(deeds: readonly Deed[], faults: readonly Fault[]): Promise<void> {
  const cluster = await startCluster([Sample, ...palettes]);
  const upcoming = [...faults];
  await cluster.client.create(Palette, palette("spring", "red"));
  const world = await startWorld({
    cluster,
    reconcilers: [sampleReconciler],
    answers: [answer(flowerPrice, async ({ colour }) => colour.length)],
    faults: () => upcoming.shift() ?? "none",
  });
  try {
    for (const each of deeds) {
      await act(cluster, each);
      if (each.do === "wait") await world.clock.advance(each.ms);
    }
    world.heal();
    for (let i = 0; i < 8; i += 1) await world.elapse(60_000);
    await check(cluster.client);
    world.writes.length = 0;
    await world.elapse(600_000);
    assert.deepEqual(world.writes, [], "nothing is written at rest");
  } finally {
    await world.stop();
    await cluster.close();
  }
}

async function check(client: KubeClient): Promise<void> {
  const samples = (await client.list(Sample, {})).items;
  const colour = (await client.get(Palette, { namespace: "default", name: "spring" })).spec.colour;
  const flowers = (await client.list(ConfigMap, { namespace: "default" })).items.filter(({ data }) => data?.colour);
  const found = Object.fromEntries(flowers.map(({ metadata, data }) => [metadata.name ?? "", data?.colour ?? ""]));
  assert.deepEqual(found, expected(samples, colour));
  for (const each of samples) {
    assert.equal(each.metadata.deletionTimestamp, undefined, "what was deleted is gone");
    assert.equal(each.status?.flowers, each.spec.flowers);
    assert.equal(each.status?.price, colour.length);
    const [ready] = each.status?.conditions ?? [];
    assert.deepEqual([ready?.status, ready?.observedGeneration], ["True", each.metadata.generation]);
  }
}

test("whatever happens in whatever order, the garden ends as its owners wrote it", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(deed, { maxLength: 25 }), (deeds) => run(deeds, [])),
    { numRuns: 40 },
  );
});

test("a network that breaks, repeats, forgets, refuses and loses answers changes nothing of that", async () => {
  await fc.assert(fc.asyncProperty(fc.array(deed, { maxLength: 20 }), fc.array(fault, { maxLength: 120 }), run), {
    numRuns: 80,
  });
});
