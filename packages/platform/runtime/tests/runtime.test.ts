import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { type Condition, ConfigMap, Deployment, Event, type KubeClient } from "@trivium/kube";
import { answer, type Reconciler } from "@trivium/reconcile";
import { startWorld, type World, type WorldOptions } from "@trivium/testkit";
import {
  Bouquet,
  bouquet,
  bouquetReconciler,
  ClusterPalette,
  clusterPalette,
  flowerPrice,
  Palette,
  palette,
} from "./bouquet.ts";
import { FakeCluster } from "./fake-cluster.ts";

const market = answer(flowerPrice, async ({ colour }) => colour.length);
const worlds: World[] = [];
afterEach(async () => {
  await Promise.all(worlds.splice(0).map((world) => world.stop()));
});

interface Garden extends World {
  readonly cluster: FakeCluster;
}

async function garden(options: Partial<WorldOptions> = {}, cluster = new FakeCluster()): Promise<Garden> {
  const client = options.client ?? cluster.client();
  const world = await startWorld({ reconcilers: [bouquetReconciler], answers: [market], ...options, client });
  worlds.push(world);
  return Object.assign(world, { cluster });
}

const ref = (name: string) => ({ namespace: "default", name });
const readyOf = async (client: KubeClient, name: string): Promise<Condition> => {
  const { status } = await client.get(Bouquet, ref(name));
  return status?.conditions?.[0] as unknown as Condition;
};
const namesOf = async (client: KubeClient): Promise<string[]> =>
  (await client.list(ConfigMap, {})).items.map(({ metadata }) => metadata.name ?? "").sort();

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
  const hidden = [client.delete(ConfigMap, ref("a-1")), client.delete(Palette, ref("spring"))];
  await Promise.all(hidden);
  cluster.forgetHistory();
  await elapse(2_000);
  assert.equal((await readyOf(client, "a")).reason, "NoPalette");
  await client.create(Palette, palette("spring", "red"));
  await settle();
  assert.deepEqual(await namesOf(client), ["a-0", "a-1"]);
});

test("events are told once, counted when they return, and not told again by a successor", async () => {
  const cluster = new FakeCluster();
  const first = await garden({}, cluster);
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
  cluster.writes.length = 0;
  const second = await garden({ answers: [answer(flowerPrice, async () => 3)] }, cluster);
  await second.elapse(1_000);
  assert.deepEqual(cluster.writes, [], "a restart over a world at rest writes nothing");
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
  const cluster = new FakeCluster();
  const slow = cluster.client();
  let release = () => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  const client: KubeClient = {
    ...slow,
    apply: async (...args) => {
      await gate;
      return slow.apply(...args);
    },
  };
  const world = await garden({ client }, cluster);
  await slow.create(Palette, palette("spring", "red"));
  await slow.create(Bouquet, bouquet("a", { flowers: 1 }));
  await world.settle();
  assert.ok(!cluster.writes.includes("apply-status Bouquet a"));
  let isStopped = false;
  const stopped = world.runtime.stop().then(() => {
    isStopped = true;
  });
  await world.clock.advance(1_000);
  assert.equal(isStopped, false);
  release();
  await stopped;
  assert.ok(cluster.writes.includes("apply-status Bouquet a"));
  cluster.writes.length = 0;
  await slow.create(Bouquet, bouquet("b"));
  await world.clock.advance(60_000);
  assert.deepEqual(cluster.writes, ["create Bouquet b"]);
});

test("leaders change: one works at a time, a stop hands over at once, a silent death after the lease", async () => {
  const cluster = new FakeCluster();
  const lease = { namespace: "default", name: "trivium" };
  const one = await garden({ lease, identity: "one" }, cluster);
  const two = await garden({ lease, identity: "two", clock: one.clock }, cluster);
  const { client } = one;
  await client.create(Palette, palette("spring", "red"));
  await client.create(Bouquet, bouquet("a"));
  await one.elapse(30_000);
  assert.deepEqual([one.runtime.isLeader(), two.runtime.isLeader()], [true, false]);
  assert.deepEqual(await namesOf(client), ["a-0", "a-1"]);
  await one.stop();
  await two.elapse(5_000);
  assert.equal(two.runtime.isLeader(), true);
  const three = await garden({ lease, identity: "three", clock: one.clock }, cluster);
  two.client.replace = () => Promise.reject(new Error("no route to host"));
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
