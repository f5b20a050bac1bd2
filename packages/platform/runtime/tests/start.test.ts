import assert from "node:assert/strict";
import { test } from "node:test";
import { ConfigMap, type Kind, type KubeClient, type ObjectOf, Service } from "@trivium/kube";
import { type Answered, type AnyReconciler, answer, type Reconciler } from "@trivium/reconcile";
import { turns } from "@trivium/testkit";
import { inOrderOfStart } from "../src/caches/order-of-start.ts";
import { createRuntime, followedKinds } from "../src/index.ts";
import { flowerPrice, Palette, palette, Sample, sample, sampleReconciler } from "./sample.ts";
import { namesOf, plot, readyOf } from "./sample-cluster.ts";

const answers = [answer(flowerPrice, async () => 3)] as readonly Answered[];

/** Lists of ConfigMaps wait, as those of a definition that the API server has still to load. */
function holding(client: KubeClient): { readonly client: KubeClient; readonly release: () => void } {
  const gate = Promise.withResolvers<void>();
  const list: KubeClient["list"] = async (kind: Kind<never>, ...rest) => {
    if (kind.plural === ConfigMap.plural) await gate.promise;
    return client.list(kind, ...rest);
  };
  return { client: { ...client, list }, release: gate.resolve };
}

/** Reads nothing but palettes. */
const naming: Reconciler<ObjectOf<typeof Palette>, null> = {
  name: "garden.naming",
  kind: Palette,
  reads: [],
  writes: [Service],
  observe: () => null,
  decide: ({ metadata }) => ({
    do: "converge",
    status: {} as never,
    children: [
      {
        kind: Service,
        object: {
          apiVersion: "v1",
          kind: "Service",
          metadata: { name: `${metadata.name}-named`, ...(metadata.namespace && { namespace: metadata.namespace }) },
          spec: { clusterIP: "None" },
        },
      },
    ],
  }),
};

test("a reconciler begins when the kinds that it reads and writes are listed; one that reads another kind neither decides nor deletes before", async () => {
  const cluster = await plot();
  await cluster.client.create(Palette, palette("spring", "red"));
  await cluster.client.create(Sample, sample("a"));
  const before = createRuntime({
    client: cluster.client,
    reconcilers: [sampleReconciler] as unknown as AnyReconciler[],
    answers,
    clock: cluster.clock,
  });
  await before.start();
  await cluster.clock.advance(1_000, () => turns(20));
  assert.equal((await readyOf(cluster.client, "a")).status, "True");
  await before.stop();

  const { client, release } = holding(cluster.client);
  const reconcilers = [sampleReconciler, naming] as unknown as AnyReconciler[];
  const runtime = createRuntime({ client, reconcilers, answers, clock: cluster.clock });
  const started = runtime.start();
  await cluster.clock.advance(5_000, () => turns(20));
  const passes = async () =>
    (await runtime.registry.getSingleMetricAsString("trivium_passes_total")).match(/garden\.\w+/g);
  assert.deepEqual([...new Set(await passes())], ["garden.naming"]);
  assert.notEqual(await cluster.client.get(Service, { namespace: "default", name: "spring-named" }), undefined);
  assert.deepEqual(await namesOf(cluster.client), ["a-0", "a-1"]);
  release();
  await started;
  await cluster.clock.advance(5_000, () => turns(20));
  assert.deepEqual([...new Set(await passes())].sort(), ["garden.naming", "garden.sample"]);
  assert.deepEqual(await namesOf(cluster.client), ["a-0", "a-1"]);
  await runtime.stop();
});

test("kinds of reconcilers that need the fewest custom definitions are listed first", () => {
  const kind = (group: string, plural: string): Kind => ({
    group,
    version: "v1",
    kind: plural,
    plural,
    namespaced: true,
  });
  const [models, services, nodes] = [kind("a.example", "models"), kind("a.example", "services"), kind("", "nodes")];
  const of = (name: string, own: Kind, reads: readonly Kind[]) =>
    ({ ...naming, name, kind: own, reads }) as unknown as AnyReconciler;
  const ordered = inOrderOfStart([
    of("of-both", services, [models]),
    of("of-one", models, [nodes, kind("", "pods"), kind("storage.k8s.io", "storageclasses")]),
  ]);
  assert.deepEqual(
    ordered.map(({ name }) => name),
    ["of-one", "of-both"],
  );
  assert.equal(followedKinds(ordered)[0], models);
});
