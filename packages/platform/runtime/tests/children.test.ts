import assert from "node:assert/strict";
import { test } from "node:test";
import { inspect } from "node:util";
import { ApiError, ConfigMap, Deployment, Event, type KubeClient, Secret } from "@trivium/kube";
import type { Reconciler } from "@trivium/reconcile";
import { Palette, palette, Sample, sample } from "./sample.ts";
import { namesOf, readyOf, ref, sampleCluster } from "./sample-cluster.ts";

test("makes the children and the status with one write each, and nothing at rest", async () => {
  const { client, settle, elapse, writes } = await sampleCluster();
  await client.create(Palette, palette("spring", "red"));
  await client.create(Sample, sample("a"));
  await settle();
  assert.deepEqual(await namesOf(client), ["a-0", "a-1"]);
  const children = ["apply ConfigMap", "apply ConfigMap", "apply Deployment"];
  assert.deepEqual(
    writes.filter((write) => !write.endsWith("Event")),
    ["patch Sample", ...children, "apply Sample"],
  );
  writes.length = 0;
  await elapse(10 * 60_000);
  assert.deepEqual(writes, []);
});

test("prunes what is no longer wanted, and repairs what others change or delete", async () => {
  const { client, settle, writes } = await sampleCluster();
  await client.create(Palette, palette("spring", "red"));
  await client.create(Sample, sample("a", { flowers: 3, card: "Happy birthday" }));
  await settle();
  assert.deepEqual(await namesOf(client), ["a-0", "a-1", "a-2", "a-card"]);
  await client.patch(Sample, ref("a"), { type: "merge", body: { spec: { flowers: 1, card: null } } });
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
  const { client, settle } = await sampleCluster();
  await client.create(Palette, palette("spring", "red"));
  await client.create(Sample, sample("a"));
  await settle();
  await client.delete(Palette, ref("spring"));
  await settle();
  assert.equal((await readyOf(client, "a")).reason, "NoPalette");
  assert.deepEqual(await namesOf(client), ["a-0", "a-1"]);
  assert.equal((await client.get(Sample, ref("a"))).status?.price, 3);
});

test("a removal that is answered with a conflict was not carried out, and is tried again", async () => {
  const status = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure" } as const;
  const conflicts = [new ApiError({ ...status, reason: "Conflict", code: 409 })];
  const between = (inner: KubeClient): KubeClient => ({
    ...inner,
    delete: async (...args) => {
      const conflict = conflicts.shift();
      if (conflict !== undefined) throw conflict;
      return inner.delete(...args);
    },
  });
  const { client, elapse, settle } = await sampleCluster({ between });
  await client.create(Palette, palette("spring", "red"));
  await client.create(Sample, sample("a"));
  await settle();
  await client.patch(Sample, ref("a"), { type: "merge", body: { spec: { flowers: 1 } } });
  await elapse(5_000);
  assert.deepEqual(await namesOf(client), ["a-0"]);
});

test("another's object of the same name is left alone, in words, until it goes", async () => {
  const { client, settle } = await sampleCluster();
  await client.create(ConfigMap, {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: ref("a-0"),
    data: { precious: "yes" },
  });
  await client.create(Palette, palette("spring", "red"));
  await client.create(Sample, sample("a"));
  await settle();
  assert.deepEqual((await client.get(ConfigMap, ref("a-0"))).data, { precious: "yes" });
  const events = (await client.list(Event, {})).items.filter(({ reason }) => reason === "NameTaken");
  assert.deepEqual(
    events.map(({ message }) => message),
    ["ConfigMap default/a-0 is not managed by Trivium; delete or rename it"],
  );
  await client.delete(ConfigMap, ref("a-0"));
  await settle();
  assert.deepEqual((await client.get(ConfigMap, ref("a-0"))).data, { colour: "red" });
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
  const { client, elapse, settle, writes } = await sampleCluster({ between });
  await client.create(Palette, palette("spring", "red"));
  await client.create(Sample, sample("a"));
  await settle();
  assert.deepEqual(await namesOf(client), ["a-1"]);
  const refused = await readyOf(client, "a");
  assert.deepEqual([refused.status, refused.reason], ["False", "Refused"]);
  assert.equal(refused.message, "ConfigMap a-0: exceeded quota: flowers; change the sample");
  const reported = (await client.list(Event, {})).items.filter(({ reason }) => reason === "ApplyFailed");
  assert.deepEqual(
    reported.map(({ message, count }) => [message, count]),
    [["ConfigMap default/a-0: exceeded quota: flowers", 1]],
  );
  writes.length = 0;
  await elapse(60_000);
  assert.ok(writes.includes("apply ConfigMap"), "it is tried again");
  assert.ok(!writes.includes("apply Sample"), "and the status does not change back and forth meanwhile");
  isFull = false;
  await elapse(300_000);
  assert.deepEqual(await namesOf(client), ["a-0", "a-1"]);
  assert.equal((await readyOf(client, "a")).status, "True");
});

test("what an older version of a reconciler applied and a newer no longer says is taken back", async () => {
  const reported = (data: Record<string, string>, status: NonNullable<Sample["status"]>): Reconciler<Sample, null> => ({
    name: "garden.teller",
    kind: Sample,
    reads: [],
    writes: [ConfigMap],
    observe: () => null,
    decide: () => {
      const object: ConfigMap = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "told" }, data };
      return { do: "converge", children: [{ kind: ConfigMap, object }], status };
    },
  });
  const older = await sampleCluster({ reconcilers: [reported({ a: "1", b: "2" }, { price: 1, flowers: 2 })] });
  const { client, cluster } = older;
  await client.create(Sample, sample("a"));
  await older.settle();
  await client.patch(ConfigMap, ref("told"), { type: "merge", body: { data: { c: "mine" } } });
  const foreign = { ...sample("a"), status: { price: 9 } };
  await client.apply(Sample, foreign, { fieldManager: "meddler", force: true, subresource: "status" });
  await older.settle();
  await older.stop();
  const newer = await sampleCluster({ cluster, reconcilers: [reported({ a: "1" }, { price: 1 })] });
  await newer.settle();
  assert.deepEqual((await client.get(ConfigMap, ref("told"))).data, { a: "1", c: "mine" });
  assert.deepEqual((await client.get(Sample, ref("a"))).status, { price: 1 });
  assert.deepEqual(newer.writes, ["apply ConfigMap", "apply Sample"]);
});

test("what others put into our lists is looked at once, and not written over again and again", async () => {
  const { client, settle, writes } = await sampleCluster();
  const spring = await client.create(Palette, palette("spring", "red"));
  await client.create(Sample, sample("a", { flowers: 1 }));
  await settle();
  const owners = (await client.get(ConfigMap, ref("a-0"))).metadata.ownerReferences ?? [];
  const another = { apiVersion: spring.apiVersion, kind: spring.kind, name: "spring", uid: spring.metadata.uid ?? "" };
  const body = { metadata: { ownerReferences: [...owners, another].map((owner) => ({ ...owner })) } };
  await client.patch(ConfigMap, ref("a-0"), { type: "merge", body });
  const watered = { type: "Watered", status: "True" as const, reason: "Rain", message: "It rained" };
  const foreign = { ...sample("a"), status: { conditions: [watered] } };
  await client.apply(Sample, foreign, { fieldManager: "gardener", subresource: "status" });
  await settle();
  assert.deepEqual(writes.splice(0).slice(-2), ["apply ConfigMap", "apply Sample"]);
  for (const label of ["x", "y", "z"]) {
    await client.patch(Palette, ref("spring"), { type: "merge", body: { metadata: { labels: { label } } } });
    await settle();
  }
  assert.deepEqual(writes, []);
  const { status } = await client.get(Sample, ref("a"));
  assert.deepEqual(status?.conditions?.map(({ type }) => type).sort(), ["Ready", "Watered"]);
});

test("what a server quotes of a Secret is told to nobody", async () => {
  const reported: string[] = [];
  const keep = (fields: object, message: string) => reported.push(`${message} ${inspect(fields, { depth: 9 })}`);
  const log = { debug: keep, info: keep, warn: keep, error: keep };
  const hider: Reconciler<Sample, null> = {
    name: "garden.hider",
    kind: Sample,
    reads: [],
    writes: [Secret],
    observe: () => null,
    decide: () => {
      const object: Secret = {
        apiVersion: "v1",
        kind: "Secret",
        metadata: { name: "s" },
        data: { key: "hunter2 is no base64" },
      };
      return { do: "converge", children: [{ kind: Secret, object }], status: {} };
    },
  };
  const { client, settle } = await sampleCluster({ reconcilers: [hider], log });
  await client.create(Sample, sample("a"));
  await settle();
  assert.equal(reported.length, 1);
  assert.match(reported[0] ?? "", /Secret default\/s: the API server responded with/);
  assert.doesNotMatch(reported[0] ?? "", /hunter2/);
});
