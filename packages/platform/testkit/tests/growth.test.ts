import assert from "node:assert/strict";
import { test } from "node:test";
import { type Answered, type AnyReconciler, answer } from "@trivium/reconcile";
import { type GrowthCase, type GrowthSizes, growthOf, growthSizes, nameOfObject } from "../src/laws/growth.ts";
import {
  ClusterPalette,
  clusterPalette,
  flowerPrice,
  type ObservedSample,
  Palette,
  Sample,
  sample,
  sampleReconciler,
} from "../src/sample.ts";

const answers = [answer(flowerPrice, async () => 3)] as readonly Answered[];

/** What the law finds in a world of many samples of one palette. */
function faultsOf(reconciler: AnyReconciler, sizes: GrowthSizes): Promise<string[]> {
  const growth: GrowthCase = {
    kinds: [Sample, Palette, ClusterPalette],
    reconcilers: [reconciler],
    answers,
    prepare: async (client) => void (await client.create(ClusterPalette, clusterPalette("spring", "red"))),
    create: async (client, i, settle) => {
      await client.create(Sample, sample(nameOfObject(i)));
      await settle();
    },
    changes: {
      "a sample is edited": {
        apply: async (client, size) => {
          const ref = { namespace: "default", name: nameOfObject(size - 1) };
          await client.patch(Sample, ref, { type: "merge", body: { spec: { flowers: 3 } } });
        },
      },
      "the palette of all is edited": {
        apply: async (client, size) => {
          const body = { spec: { colour: `blue-${size}` } };
          await client.patch(ClusterPalette, { name: "spring" }, { type: "merge", body });
        },
        dependants: (size) => size,
      },
    },
  };
  return growthOf(growth, sizes);
}

const original = sampleReconciler as unknown as AnyReconciler;

test("growth: a reconciler that reads its own objects only passes", async () => {
  for (const sizes of Object.values(growthSizes)) assert.deepEqual(await faultsOf(original, sizes), []);
});

test("growth: one that lists all objects of its kind to find its place among them is found", async () => {
  const queued: typeof sampleReconciler = {
    ...sampleReconciler,
    reads: [...sampleReconciler.reads, Sample],
    observe(object, reader): ObservedSample {
      const all = reader.list(Sample, { namespace: object.metadata.namespace });
      const place = all.filter(({ metadata }) => (metadata.name ?? "") < (object.metadata.name ?? "")).length;
      return { ...sampleReconciler.observe(object, reader), guards: [`place ${place} of ${all.length}`] };
    },
  };
  for (const sizes of Object.values(growthSizes)) {
    const { small, large } = sizes;
    const faults = await faultsOf(queued as unknown as AnyReconciler, sizes);
    assert.equal(faults.length, 2, faults.join("\n"));
    const passes = new RegExp(`^the first ${small} objects take \\d+ passes, those up to ${large} take \\d+$`);
    const triggers = `triggers \\d+ times among ${small} objects, \\d+ times among ${large}`;
    assert.match(faults[0] ?? "", passes);
    assert.match(faults[1] ?? "", new RegExp(`^a sample is edited: ${triggers}$`));
  }
});
