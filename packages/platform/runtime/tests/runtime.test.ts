import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { ApiError, type Condition, ConfigMap, Deployment, Event, type KubeClient } from "@trivium/kube";
import { answer, type Reconciler } from "@trivium/reconcile";
import { type Cluster, startCluster, startWorld, type World, type WorldOptions } from "@trivium/testkit";
import {
  Bouquet,
  bouquet,
  bouquetReconciler,
  ClusterPalette,
  clusterPalette,
  flowerPrice,
  Palette,
  palette,
  palettes,
} from "./bouquet.ts";

const market = answer(flowerPrice, async ({ colour }) => colour.length);
const worlds: World[] = [];
const clusters: Cluster[] = [];
afterEach(async () => {
  await Promise.all(worlds.splice(0).map((world) => world.stop()));
  await Promise.all(clusters.splice(0).map((cluster) => cluster.close()));
});

async function plot(): Promise<Cluster> {
  const cluster = await startCluster([Bouquet, ...palettes]);
  clusters.push(cluster);
  return cluster;
}

interface Garden extends World {
  readonly cluster: Cluster;
}

async function garden(options: Partial<WorldOptions> = {}): Promise<Garden> {
  const cluster = options.cluster ?? (await plot());
  const world = await startWorld({ reconcilers: [bouquetReconciler], answers: [market], ...options, cluster });
  worlds.push(world);
  return Object.assign(world, { cluster });
}

const ref = (name: string) => ({ namespace: "default", name });
const readyOf = async (client: KubeClient, name: string): Promise<Condition> => {
  const { status } = await client.get(Bouquet, ref(name));
  return status?.conditions?.find(({ type }) => type === "Ready") as Condition;
};
const namesOf = async (client: KubeClient): Promise<string[]> =>
  (await client.list(ConfigMap, { namespace: "default" })).items
    .map(({ metadata }) => metadata.name ?? "")
    .filter((name) => name !== "kube-root-ca.crt")
    .sort();

test("makes the children and the status with one write each, and nothing at rest", async () => {
  const { client, settle, elapse, writes } = await garden();
  await client.create(Palette, palette("spring", "red"));
  await client.create(Bouquet, bouquet("a"));
  await settle();
  assert.deepEqual(await namesOf(client), ["a-0", "a-1"]);
  const children = ["apply ConfigMap", "apply ConfigMap", "apply Deployment"];
  assert.deepEqual(
    writes.filter((write) => !write.endsWith("Event")),
    ["patch Bouquet", ...children, "apply Bouquet"],
  );
  writes.length = 0;
  await elapse(10 * 60_000);
  assert.deepEqual(writes, []);
});

test("a status never lies: generation, transition times, one root cause", async () => {
  const { client, clock, settle, elapse } = await garden();
  await client.create(Bouquet, bouquet("a"));
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
  await client.patch(Bouquet, ref("a"), { type: "merge", body: { spec: { palette: "summer" } } });
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

test("what was looked for and absent wakes the reader, and the nearer twin wins when it comes", async () => {
  const { client, settle } = await garden();
  await client.create(Bouquet, bouquet("a", { flowers: 1 }));
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
  const { client, settle, runtime } = await garden();
  await client.create(Palette, palette("spring", "red"));
  await client.create(Bouquet, bouquet("a"));
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

test("prunes what is no longer wanted, and repairs what others change or delete", async () => {
  const { client, settle, writes } = await garden();
  await client.create(Palette, palette("spring", "red"));
  await client.create(Bouquet, bouquet("a", { flowers: 3, card: "Happy birthday" }));
  await settle();
  assert.deepEqual(await namesOf(client), ["a-0", "a-1", "a-2", "a-card"]);
  await client.patch(Bouquet, ref("a"), { type: "merge", body: { spec: { flowers: 1, card: null } } });
  await settle();
  assert.deepEqual(await namesOf(client), ["a-0", "a-card"]);
  await client.delete(ConfigMap, ref("a-0"));
  await settle();
  assert.deepEqual(await namesOf(client), ["a-0", "a-card"]);
  await client.patch(ConfigMap, ref("a-0"), { type: "merge", body: { data: { colour: "black", note: "mine" } } });
  await settle();
  assert.deepEqual((await client.get(ConfigMap, ref("a-0"))).data, { colour: "red", note: "mine" });
  writes.length = 0;
  await client.patch(Deployment, ref("a-vase"), {
    type: "merge",
    body: { metadata: { annotations: { revision: "1" } } },
  });
  await client.patch(Deployment, ref("a-vase"), { type: "merge", body: { status: { readyReplicas: 1 } } });
  await settle();
  assert.deepEqual(writes, [], "what others add beside our fields is not ours to write over");
});

test("a hold touches no child", async () => {
  const { client, settle } = await garden();
  await client.create(Palette, palette("spring", "red"));
  await client.create(Bouquet, bouquet("a"));
  await settle();
  await client.delete(Palette, ref("spring"));
  await settle();
  assert.equal((await readyOf(client, "a")).reason, "NoPalette");
  assert.deepEqual(await namesOf(client), ["a-0", "a-1"]);
  assert.equal((await client.get(Bouquet, ref("a"))).status?.price, 3);
});

test("a finalizer keeps the object until it is released, and the children go with it", async () => {
  const { client, settle } = await garden();
  await client.create(Palette, palette("spring", "red"));
  await client.create(Bouquet, bouquet("a"));
  const guard: ConfigMap = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { ...ref("guard"), labels: { guard: "yes" } },
  };
  await client.create(ConfigMap, guard);
  await settle();
  await client.delete(Bouquet, ref("a"));
  await settle();
  assert.equal((await readyOf(client, "a")).message, "Guarded by guard");
  await client.delete(ConfigMap, ref("guard"));
  await settle();
  await assert.rejects(client.get(Bouquet, ref("a")), { reason: "NotFound" });
  assert.deepEqual(await namesOf(client), []);
});

test("another's object of the same name is left alone, in words, until it goes", async () => {
  const { client, settle } = await garden();
  await client.create(ConfigMap, {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: ref("a-0"),
    data: { precious: "yes" },
  });
  await client.create(Palette, palette("spring", "red"));
  await client.create(Bouquet, bouquet("a"));
  await settle();
  assert.deepEqual((await client.get(ConfigMap, ref("a-0"))).data, { precious: "yes" });
  const events = (await client.list(Event, {})).items.filter(({ reason }) => reason === "NameTaken");
  assert.deepEqual(
    events.map(({ message }) => message),
    ["ConfigMap default/a-0 was made by somebody else and is left as it is; delete or rename it"],
  );
  await client.delete(ConfigMap, ref("a-0"));
  await settle();
  assert.deepEqual((await client.get(ConfigMap, ref("a-0"))).data, { colour: "red" });
});

test("history that the server forgot is listed again, and missed deletions are noticed", async () => {
  const { client, cluster, elapse, settle } = await garden();
  await client.create(Palette, palette("spring", "red"));
  await client.create(Bouquet, bouquet("a"));
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

test("a child that cannot be written keeps neither the others nor the status waiting, and is tried again", async () => {
  let isFull = true;
  const quota = new ApiError({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: "exceeded quota: flowers",
    reason: "Forbidden",
    code: 403,
  });
  const between = (inner: KubeClient): KubeClient => ({
    ...inner,
    apply: (kind, object, options) =>
      isFull && object.metadata.name === "a-0" ? Promise.reject(quota) : inner.apply(kind, object, options),
  });
  const { client, elapse, settle } = await garden({ between });
  await client.create(Palette, palette("spring", "red"));
  await client.create(Bouquet, bouquet("a"));
  await settle();
  assert.deepEqual(await namesOf(client), ["a-1"]);
  assert.equal((await readyOf(client, "a")).status, "True");
  const told = (await client.list(Event, {})).items.filter(({ reason }) => reason === "ApplyFailed");
  assert.deepEqual(
    told.map(({ message, count }) => [message, count]),
    [["ConfigMap default/a-0: exceeded quota: flowers", 1]],
  );
  isFull = false;
  await elapse(60_000);
  assert.deepEqual(await namesOf(client), ["a-0", "a-1"]);
});

test("no pass reads the world of before its own write", async () => {
  let passes = 0;
  const counting: Reconciler<Bouquet, null> = {
    name: "garden.counting",
    kind: Bouquet,
    reads: [Palette],
    writes: [],
    observe(each, look) {
      look.list(Palette, { namespace: each.metadata.namespace });
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
        if (isLate && kind.kind === "Bouquet") {
          await new Promise<void>((resolve) => {
            arrive = resolve;
          });
        }
        yield event;
      }
    },
  });
  const { client, settle, writes } = await garden({ reconcilers: [counting], between });
  await client.create(Bouquet, bouquet("a"));
  isLate = true;
  await settle();
  assert.deepEqual([passes, writes], [1, ["apply Bouquet"]]);
  await client.create(Palette, palette("spring", "red"));
  await settle();
  assert.equal(passes, 1, "woken, but the write has not been seen yet");
  isLate = false;
  arrive();
  await settle();
  assert.ok(passes > 1);
  assert.deepEqual(writes, ["apply Bouquet"]);
});

test("what an older version of a reconciler applied and a newer no longer says is taken back", async () => {
  const told = (data: Record<string, string>, status: NonNullable<Bouquet["status"]>): Reconciler<Bouquet, null> => ({
    name: "garden.teller",
    kind: Bouquet,
    reads: [],
    writes: [ConfigMap],
    observe: () => null,
    decide: () => {
      const object: ConfigMap = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "told" }, data };
      return { do: "converge", children: [{ kind: ConfigMap, object }], status };
    },
  });
  const older = await garden({ reconcilers: [told({ a: "1", b: "2" }, { price: 1, flowers: 2 })] });
  const { client, cluster } = older;
  await client.create(Bouquet, bouquet("a"));
  await older.settle();
  await client.patch(ConfigMap, ref("told"), { type: "merge", body: { data: { c: "mine" } } });
  const foreign = { ...bouquet("a"), status: { price: 9 } };
  await client.apply(Bouquet, foreign, { fieldManager: "meddler", force: true, subresource: "status" });
  await older.settle();
  await older.stop();
  const newer = await garden({ cluster, reconcilers: [told({ a: "1" }, { price: 1 })] });
  await newer.settle();
  assert.deepEqual((await client.get(ConfigMap, ref("told"))).data, { a: "1", c: "mine" });
  assert.deepEqual((await client.get(Bouquet, ref("a"))).status, { price: 1 });
  assert.deepEqual(newer.writes, ["apply ConfigMap", "apply Bouquet"]);
});

test("what others put into our lists is looked at once, and not written over again and again", async () => {
  const { client, settle, writes } = await garden();
  const spring = await client.create(Palette, palette("spring", "red"));
  await client.create(Bouquet, bouquet("a", { flowers: 1 }));
  await settle();
  const owners = (await client.get(ConfigMap, ref("a-0"))).metadata.ownerReferences ?? [];
  const another = { apiVersion: spring.apiVersion, kind: spring.kind, name: "spring", uid: spring.metadata.uid ?? "" };
  const body = { metadata: { ownerReferences: [...owners, another].map((owner) => ({ ...owner })) } };
  await client.patch(ConfigMap, ref("a-0"), { type: "merge", body });
  const watered = { type: "Watered", status: "True" as const, reason: "Rain", message: "It rained" };
  const foreign = { ...bouquet("a"), status: { conditions: [watered] } };
  await client.apply(Bouquet, foreign, { fieldManager: "gardener", subresource: "status" });
  await settle();
  assert.deepEqual(writes.splice(0).slice(-2), ["apply ConfigMap", "apply Bouquet"]);
  for (const label of ["x", "y", "z"]) {
    await client.patch(Palette, ref("spring"), { type: "merge", body: { metadata: { labels: { label } } } });
    await settle();
  }
  assert.deepEqual(writes, []);
  const { status } = await client.get(Bouquet, ref("a"));
  assert.deepEqual(status?.conditions?.map(({ type }) => type).sort(), ["Ready", "Watered"]);
});

test("finalizers of others are never lost, even when both write at once", async () => {
  let hinder = async () => {};
  const between = (inner: KubeClient): KubeClient => ({
    ...inner,
    patch: async (...args) => {
      await hinder();
      return inner.patch(...args);
    },
  });
  const { client, elapse, settle } = await garden({ between });
  await client.create(Palette, palette("spring", "red"));
  hinder = async () => {
    hinder = async () => {};
    const body = { metadata: { finalizers: ["others.example/theirs"] } };
    await client.patch(Bouquet, ref("a"), { type: "merge", body });
  };
  await client.create(Bouquet, bouquet("a"));
  await settle();
  await elapse(5_000);
  const { metadata } = await client.get(Bouquet, ref("a"));
  assert.deepEqual(metadata.finalizers, ["others.example/theirs", "garden.example/bouquet"]);
  await client.delete(Bouquet, ref("a"));
  await elapse(5_000);
  assert.deepEqual((await client.get(Bouquet, ref("a"))).metadata.finalizers, ["others.example/theirs"]);
});

test("events are told once, counted when they return, and not told again by a successor", async () => {
  const first = await garden();
  const { cluster } = first;
  const { client } = first;
  const told = async () =>
    Object.fromEntries((await client.list(Event, {})).items.map(({ reason, count }) => [reason ?? "", count]));
  await client.create(Palette, palette("spring", "red"));
  await client.create(Bouquet, bouquet("a"));
  await first.elapse(1_000);
  assert.deepEqual(await told(), { Bound: 1 });
  await client.delete(Palette, ref("spring"));
  await first.elapse(1_000);
  await client.create(Palette, palette("spring", "red"));
  await first.elapse(1_000);
  assert.deepEqual(await told(), { NoPalette: 1, Bound: 2 });
  await first.stop();
  const second = await garden({ cluster });
  await second.elapse(1_000);
  assert.deepEqual(second.writes, [], "a restart over a world at rest writes nothing");
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
  const { client, settle, elapse } = await garden({ answers });
  await client.create(Palette, palette("spring", "red"));
  for (const name of ["a", "b", "c"]) await client.create(Bouquet, bouquet(name, { flowers: 1 }));
  await settle();
  assert.equal(calls, 1);
  assert.deepEqual(await namesOf(client), []);
  isDown = false;
  await elapse(3_000);
  assert.equal(calls, 2);
  assert.deepEqual(await namesOf(client), ["a-0", "b-0", "c-0"]);
  await elapse(60_000);
  assert.equal(calls, 3);
  assert.equal((await client.get(Bouquet, ref("c"))).status?.price, 103);
  for (const name of ["a", "b", "c"]) await client.delete(Bouquet, ref(name));
  await elapse(600_000);
  assert.equal(calls, 3, "nobody depends on the answer any more");
});

test("a graceful stop lets passes in flight finish and starts no new ones", async () => {
  let release = () => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  const between = (client: KubeClient): KubeClient => ({
    ...client,
    apply: async (...args) => {
      await gate;
      return client.apply(...args);
    },
  });
  const { client, clock, runtime, settle, writes } = await garden({ between });
  await client.create(Palette, palette("spring", "red"));
  await client.create(Bouquet, bouquet("a", { flowers: 1 }));
  await settle();
  assert.deepEqual(writes, ["patch Bouquet", "apply ConfigMap"]);
  let isStopped = false;
  const stopped = runtime.stop().then(() => {
    isStopped = true;
  });
  await clock.advance(1_000);
  assert.equal(isStopped, false);
  release();
  await stopped;
  assert.deepEqual(writes.slice(2), ["apply Deployment", "apply Bouquet", "create Event"]);
  writes.length = 0;
  await client.create(Bouquet, bouquet("b"));
  await clock.advance(60_000);
  assert.deepEqual(writes, []);
});

test("leaders change: one works at a time, a stop hands over at once, a silent death after the lease", async () => {
  const cluster = await plot();
  let isCutOff = false;
  const between = (client: KubeClient): KubeClient => ({
    ...client,
    replace: (...args) => (isCutOff ? Promise.reject(new Error("no route to host")) : client.replace(...args)),
  });
  const lease = { namespace: "default", name: "trivium" };
  const one = await garden({ cluster, lease, identity: "one" });
  const two = await garden({ cluster, between, lease, identity: "two" });
  const { client } = one;
  await client.create(Palette, palette("spring", "red"));
  await client.create(Bouquet, bouquet("a"));
  await one.elapse(30_000);
  assert.deepEqual([one.runtime.isLeader(), two.runtime.isLeader()], [true, false]);
  assert.deepEqual(await namesOf(client), ["a-0", "a-1"]);
  await one.stop();
  await two.elapse(5_000);
  assert.equal(two.runtime.isLeader(), true);
  const three = await garden({ cluster, lease, identity: "three" });
  isCutOff = true;
  await three.elapse(11_000);
  assert.deepEqual(
    [two.runtime.isLeader(), three.runtime.isLeader()],
    [false, false],
    "gives up before others may begin",
  );
  await three.elapse(9_000);
  assert.deepEqual([two.runtime.isLeader(), three.runtime.isLeader()], [false, true]);
});

test("a reconciler that throws is tried again with growing delays, and others go on", async () => {
  let throws = 0;
  const broken: Reconciler<Bouquet, null> = {
    name: "garden.broken",
    kind: Bouquet,
    reads: [],
    writes: [],
    observe: () => null,
    decide() {
      throws += 1;
      throw new Error("a bug");
    },
  };
  const { client, elapse, settle } = await garden({ reconcilers: [broken, bouquetReconciler] });
  await client.create(ClusterPalette, clusterPalette("spring", "red"));
  await client.create(Bouquet, bouquet("a"));
  await settle();
  assert.deepEqual(await namesOf(client), ["a-0", "a-1"]);
  await elapse(10_000);
  assert.ok(throws >= 5 && throws < 15, `${throws} tries in ten seconds`);
  const before = throws;
  await elapse(60_000);
  assert.ok(throws - before <= 4, `${throws - before} more tries in the next minute`);
});
