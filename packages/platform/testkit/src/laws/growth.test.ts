import assert from "node:assert/strict";
import { test } from "node:test";
import { ConfigMap } from "@trivium/kube";
import { type Answered, answer } from "@trivium/reconcile";
import { flowerPrice, Palette, Sample, sample, sampleReconciler } from "../sample.ts";
import { type GrowthCase, growthOf, growthSizes, nameOfObject } from "./growth.ts";

const namespace = "default";

const samples = (observe: typeof sampleReconciler.observe): GrowthCase => ({
  kinds: [Sample, Palette],
  reconcilers: [{ ...sampleReconciler, reads: [Palette, Sample], observe } as never],
  answers: [answer(flowerPrice, async () => 3)] as readonly Answered[],
  async prepare(client) {
    const metadata = { name: "warm", namespace };
    await client.create(Palette, {
      apiVersion: "garden.example/v1",
      kind: "Palette",
      metadata,
      spec: { colour: "red" },
    });
  },
  async create(client, i, settle) {
    await client.create(Sample, sample(nameOfObject(i), { flowers: 1, palette: "warm" }));
    await settle();
  },
  changes: {
    "one is edited": {
      apply: async (client, size) => {
        const ref = { namespace, name: nameOfObject(size - 1) };
        await client.patch(Sample, ref, { type: "merge", body: { spec: { flowers: 2 } } });
      },
    },
  },
});

test("growth: what reads its own objects passes, at every size that is used", async () => {
  for (const sizes of Object.values(growthSizes))
    assert.deepEqual(await growthOf(samples(sampleReconciler.observe), sizes), []);
});

test("growth: what reads all objects of its kind is found, at every size that is used", async () => {
  const all: typeof sampleReconciler.observe = (one, reader) => {
    const queue = reader.list(Sample, { namespace }).map(({ metadata }) => metadata.name);
    const guards = reader.list(ConfigMap, { namespace, labels: { guard: "yes" } });
    return { ...sampleReconciler.observe(one, reader), guards: [...queue, ...guards.map(() => "")] as string[] };
  };
  for (const sizes of Object.values(growthSizes)) {
    const faults = await growthOf(samples(all), sizes);
    assert.ok(
      faults.some((fault) => fault.startsWith("one is edited: triggers ")),
      `${faults}`,
    );
    assert.ok(
      faults.some((fault) => fault.startsWith(`the first ${sizes.small} objects take `)),
      `${faults}`,
    );
  }
});
