import assert from "node:assert/strict";
import { test } from "node:test";
import { ConfigMap, type KubeClient } from "@trivium/kube";
import { answer, type Reconciler } from "@trivium/reconcile";
import {
  ClusterPalette,
  clusterPalette,
  flowerPrice,
  Palette,
  palette,
  Sample,
  sample,
  sampleReconciler,
} from "./sample.ts";
import { namesOf, readyOf, ref, sampleCluster } from "./sample-cluster.ts";

test("what was looked for and absent wakes the reader, and the nearer twin wins when it comes", async () => {
  const { client, settle } = await sampleCluster();
  await client.create(Sample, sample("a", { flowers: 1 }));
  await settle();
  assert.deepEqual(await namesOf(client), []);
  await client.create(ClusterPalette, clusterPalette("spring", "white"));
  await settle();
  const colour = async () => (await client.get(ConfigMap, ref("a-0"))).data?.colour;
  assert.equal(await colour(), "white");
  await client.create(Palette, palette("spring", "red"));
  await settle();
  assert.equal(await colour(), "red");
});

test("nobody is woken by what he did not read", async () => {
  const { client, settle, runtime } = await sampleCluster();
  await client.create(Palette, palette("spring", "red"));
  await client.create(Sample, sample("a"));
  await settle();
  const passes = async () =>
    (await runtime.registry.getSingleMetricAsString("trivium_passes_total")).match(/\} \d+/g)?.join();
  const before = await passes();
  await client.create(Palette, palette("autumn", "brown"));
  await client.create(ConfigMap, { apiVersion: "v1", kind: "ConfigMap", metadata: ref("stranger") });
  await settle();
  assert.equal(await passes(), before);
  await client.patch(Palette, ref("spring"), { type: "merge", body: { spec: { colour: "pink" } } });
  await settle();
  assert.notEqual(await passes(), before);
});

test("history that the server forgot is listed again, and missed deletions are noticed", async () => {
  const { client, cluster, elapse, settle } = await sampleCluster();
  await client.create(Palette, palette("spring", "red"));
  await client.create(Sample, sample("a"));
  await settle();
  // A watch that brought nothing is not resumed at once: what follows happens behind our back.
  for (let i = 0; i < 2; i += 1) {
    cluster.cutWatches();
    await settle();
  }
  await client.delete(ConfigMap, ref("a-1"));
  await client.delete(Palette, ref("spring"));
  cluster.forgetHistory();
  await settle();
  assert.equal((await readyOf(client, "a")).reason, "Bound");
  await elapse(2_000);
  assert.equal((await readyOf(client, "a")).reason, "NoPalette");
  await client.create(Palette, palette("spring", "red"));
  await settle();
  assert.deepEqual(await namesOf(client), ["a-0", "a-1"]);
});

test("no pass reads the world of before its own write", async () => {
  let passes = 0;
  const counting: Reconciler<Sample, null> = {
    name: "garden.counting",
    kind: Sample,
    reads: [Palette],
    writes: [],
    observe(each, reader) {
      reader.list(Palette, { namespace: each.metadata.namespace });
      passes += 1;
      return null;
    },
    decide: () => ({ do: "hold", status: { price: 7 } }),
  };
  let isLate = false;
  let arrive = () => {};
  const between = (inner: KubeClient): KubeClient => ({
    ...inner,
    watch: async function* (kind, options) {
      for await (const event of inner.watch(kind, options)) {
        if (isLate && kind.kind === "Sample") {
          await new Promise<void>((resolve) => {
            arrive = resolve;
          });
        }
        yield event;
      }
    },
  });
  const { client, settle, writes } = await sampleCluster({ reconcilers: [counting], between });
  await client.create(Sample, sample("a"));
  isLate = true;
  await settle();
  assert.deepEqual([passes, writes], [1, ["apply Sample"]]);
  await client.create(Palette, palette("spring", "red"));
  await settle();
  assert.equal(passes, 1, "woken, but the write has not been seen yet");
  isLate = false;
  arrive();
  await settle();
  assert.ok(passes > 1);
  assert.deepEqual(writes, ["apply Sample"]);
});

test("the world outside: asked once for all, unreachable holds, answers wake, old answers are found anew", async () => {
  let calls = 0;
  let isDown = true;
  const answers = [
    answer(flowerPrice, async () => {
      calls += 1;
      if (isDown) throw new Error("connection refused");
      return 100 + calls;
    }),
  ];
  const { client, settle, elapse } = await sampleCluster({ answers });
  await client.create(Palette, palette("spring", "red"));
  for (const name of ["a", "b", "c"]) await client.create(Sample, sample(name, { flowers: 1 }));
  await settle();
  assert.equal(calls, 1);
  assert.deepEqual(await namesOf(client), []);
  isDown = false;
  await elapse(3_000);
  assert.equal(calls, 2);
  assert.deepEqual(await namesOf(client), ["a-0", "b-0", "c-0"]);
  await elapse(60_000);
  assert.equal(calls, 3);
  assert.equal((await client.get(Sample, ref("c"))).status?.price, 103);
  for (const name of ["a", "b", "c"]) await client.delete(Sample, ref(name));
  await elapse(600_000);
  assert.equal(calls, 3, "nobody depends on the answer any more");
});

test("a reconciler that throws is tried again with growing delays, and others go on", async () => {
  let throws = 0;
  const broken: Reconciler<Sample, null> = {
    name: "garden.broken",
    kind: Sample,
    reads: [],
    writes: [],
    observe: () => null,
    decide() {
      throws += 1;
      throw new Error("a bug");
    },
  };
  const { client, elapse, settle } = await sampleCluster({ reconcilers: [broken, sampleReconciler] });
  await client.create(ClusterPalette, clusterPalette("spring", "red"));
  await client.create(Sample, sample("a"));
  await settle();
  assert.deepEqual(await namesOf(client), ["a-0", "a-1"]);
  await elapse(10_000);
  assert.ok(throws >= 5 && throws < 15, `${throws} tries in ten seconds`);
  const before = throws;
  await elapse(60_000);
  assert.ok(throws - before <= 4, `${throws - before} more tries in the next minute`);
});
