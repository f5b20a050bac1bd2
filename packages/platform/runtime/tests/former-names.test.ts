import assert from "node:assert/strict";
import { test } from "node:test";
import { type AnyObject, ConfigMap, Deployment, type KubeClient } from "@trivium/kube";
import type { AnyReconciler } from "@trivium/reconcile";
import { Palette, palette, Sample, sample, sampleReconciler } from "./sample.ts";
import { namesOf, plot, readyOf, ref, sampleCluster } from "./sample-cluster.ts";

const renamed: AnyReconciler = {
  ...sampleReconciler,
  name: "flowers.sample-order",
  formerNames: [sampleReconciler.name],
};

async function managersOf(object: Promise<AnyObject | Deployment | ConfigMap>): Promise<string[]> {
  const { managedFields = [] } = (await object).metadata;
  return managedFields.filter(({ operation }) => operation === "Apply").map(({ manager = "" }) => manager);
}

/** A sample as the reconciler left it under its former name, and the same cluster with the renamed one. */
async function upgraded(spec: Parameters<typeof sample>[1] = {}, former: AnyReconciler = sampleReconciler) {
  const cluster = await plot();
  const before = await sampleCluster({ cluster, reconcilers: [former] });
  await before.client.create(Palette, palette("spring", "red"));
  await before.client.create(Sample, sample("a", spec));
  await before.settle();
  await before.stop();
  const vase = await before.client.get(Deployment, ref("a-vase"));
  const after = await sampleCluster({ cluster, reconcilers: [renamed] });
  await after.settle();
  return { ...after, vase };
}

test("children of a reconciler that was renamed are handed over without a change to them", async () => {
  const { client, vase } = await upgraded();
  const now = await client.get(Deployment, ref("a-vase"));
  assert.equal(now.metadata.generation, vase.metadata.generation);
  assert.deepEqual(now.spec, vase.spec);
  assert.deepEqual(now.metadata.ownerReferences, vase.metadata.ownerReferences);
  assert.deepEqual(await managersOf(client.get(Deployment, ref("a-vase"))), [renamed.name]);
  assert.deepEqual(await managersOf(client.get(ConfigMap, ref("a-0"))), [renamed.name]);
});

test("a handover happens once: nothing is written at rest afterwards", async () => {
  const { elapse, writes } = await upgraded();
  writes.length = 0;
  await elapse(10 * 60_000);
  assert.deepEqual(writes, []);
});

test("what is no longer wanted goes, also where only the former name had applied it", async () => {
  const { client, settle } = await upgraded({ flowers: 3, card: "Happy birthday" });
  assert.deepEqual(await namesOf(client), ["a-0", "a-1", "a-2", "a-card"]);
  await client.patch(Sample, ref("a"), { type: "merge", body: { spec: { flowers: 1 } } });
  await settle();
  assert.equal((await client.get(Sample, ref("a"))).status?.price, 3);
  assert.deepEqual((await namesOf(client)).includes("a-2"), false);
  await client.delete(Palette, ref("spring"));
  await settle();
  assert.equal((await readyOf(client, "a")).reason, "NoPalette");
  const { metadata } = await client.get(Sample, ref("a"));
  const managers = (metadata.managedFields ?? []).filter(({ subresource }) => subresource === "status");
  assert.deepEqual(
    managers.map(({ manager }) => manager),
    [renamed.name],
  );
});

test("a field that only the version before wanted is removed with the handover", async () => {
  const marked: AnyReconciler = {
    ...sampleReconciler,
    decide(...args) {
      const decision = sampleReconciler.decide(...(args as Parameters<typeof sampleReconciler.decide>));
      if (decision.do !== "converge") return decision;
      const children = decision.children.map((child) => {
        const { metadata } = child.object;
        return {
          ...child,
          object: { ...child.object, metadata: { ...metadata, annotations: { "flowers/old": "yes" } } },
        };
      });
      return { ...decision, children };
    },
  };
  const { client, vase } = await upgraded({}, marked);
  assert.equal(vase.metadata.annotations?.["flowers/old"], "yes");
  const { metadata } = await client.get(Deployment, ref("a-vase"));
  assert.equal(metadata.annotations?.["flowers/old"], undefined);
});

test("a handover that stopped half-way is finished by the next pass", async () => {
  let isBroken = true;
  const between = (inner: KubeClient): KubeClient => ({
    ...inner,
    apply: async (kind, object, options) => {
      if (isBroken && options.fieldManager === sampleReconciler.name) throw new Error("the connection was closed");
      return inner.apply(kind, object, options);
    },
  });
  const cluster = await plot();
  const before = await sampleCluster({ cluster });
  await before.client.create(Palette, palette("spring", "red"));
  await before.client.create(Sample, sample("a"));
  await before.settle();
  await before.stop();
  const { client, elapse } = await sampleCluster({ cluster, reconcilers: [renamed], between });
  await elapse(1_000);
  const both = await managersOf(client.get(Deployment, ref("a-vase")));
  assert.deepEqual(both.sort(), [sampleReconciler.name, renamed.name].sort());
  isBroken = false;
  await elapse(60_000);
  assert.deepEqual(await managersOf(client.get(Deployment, ref("a-vase"))), [renamed.name]);
});
