import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError, ConfigMap, type Kind, type KubeClient, type StatusReason } from "@trivium/kube";
import { createRuntime } from "../src/index.ts";
import { Palette, palette, Sample, sample, sampleReconciler } from "./sample.ts";
import { namesOf, plot, readyOf, ref, sampleCluster } from "./sample-cluster.ts";

test("a finalizer keeps the object until it is released, and the children go with it", async () => {
  const { client, settle } = await sampleCluster();
  await client.create(Palette, palette("spring", "red"));
  await client.create(Sample, sample("a"));
  const guard: ConfigMap = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { ...ref("guard"), labels: { guard: "yes" } },
  };
  await client.create(ConfigMap, guard);
  await settle();
  await client.delete(Sample, ref("a"));
  await settle();
  assert.equal((await readyOf(client, "a")).message, "Guarded by guard");
  await client.delete(ConfigMap, ref("guard"));
  await settle();
  await assert.rejects(client.get(Sample, ref("a")), { reason: "NotFound" });
  assert.deepEqual(await namesOf(client), []);
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
  const { client, elapse, settle } = await sampleCluster({ between });
  await client.create(Palette, palette("spring", "red"));
  hinder = async () => {
    hinder = async () => {};
    const body = { metadata: { finalizers: ["others.example/theirs"] } };
    await client.patch(Sample, ref("a"), { type: "merge", body });
  };
  await client.create(Sample, sample("a"));
  await settle();
  await elapse(5_000);
  const { metadata } = await client.get(Sample, ref("a"));
  assert.deepEqual(metadata.finalizers, ["others.example/theirs", "garden.example/sample"]);
  await client.delete(Sample, ref("a"));
  await elapse(5_000);
  assert.deepEqual((await client.get(Sample, ref("a"))).metadata.finalizers, ["others.example/theirs"]);
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
  const { client, clock, runtime, settle, writes } = await sampleCluster({ between });
  await client.create(Palette, palette("spring", "red"));
  await client.create(Sample, sample("a", { flowers: 1 }));
  await settle();
  assert.deepEqual(writes, ["patch Sample", "apply ConfigMap"]);
  let isStopped = false;
  const stopped = runtime.stop().then(() => {
    isStopped = true;
  });
  await clock.advance(1_000);
  assert.equal(isStopped, false);
  release();
  await stopped;
  // Its first status and Events are left to the next start, which sees the children.
  assert.deepEqual(writes.slice(2), ["apply Deployment"]);
  writes.length = 0;
  await client.create(Sample, sample("b"));
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
  const one = await sampleCluster({ cluster, lease, identity: "one" });
  const two = await sampleCluster({ cluster, between, lease, identity: "two" });
  const { client } = one;
  await client.create(Palette, palette("spring", "red"));
  await client.create(Sample, sample("a"));
  await one.elapse(30_000);
  assert.deepEqual([one.runtime.isLeader(), two.runtime.isLeader()], [true, false]);
  assert.deepEqual(await namesOf(client), ["a-0", "a-1"]);
  await one.stop();
  await two.elapse(5_000);
  assert.equal(two.runtime.isLeader(), true);
  const three = await sampleCluster({ cluster, lease, identity: "three" });
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

/** Lists of ConfigMaps end with these refusals, one after the other, and are answered after the last. */
function refusing(...reasons: StatusReason[]): (client: KubeClient) => KubeClient {
  const code = { Forbidden: 403, Unauthorized: 401, ServiceUnavailable: 503 } as Readonly<Record<string, number>>;
  return (client) => ({
    ...client,
    list: (kind: Kind<never>, ...rest) => {
      const reason = kind.plural === "configmaps" ? reasons.shift() : undefined;
      if (reason === undefined) return client.list(kind, ...rest);
      const head = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure" } as const;
      return Promise.reject(
        new ApiError({ ...head, code: code[reason] ?? 500, reason, message: `configmaps: ${reason}` }),
      );
    },
  });
}

test("a start ends where a kind is not allowed to be read, unless its failures are wanted, and outlives a bad moment of the server", async () => {
  const cluster = await plot();
  for (const reason of ["Forbidden", "Unauthorized"] as const) {
    const client = refusing(reason)(cluster.client);
    const runtime = createRuntime({ client, reconcilers: [sampleReconciler], clock: cluster.clock });
    await assert.rejects(runtime.start(), { message: `configmaps: ${reason}` });
    await runtime.stop();
  }
  const reported: unknown[] = [];
  const patient = createRuntime({
    client: refusing("Forbidden", "ServiceUnavailable")(cluster.client),
    reconcilers: [sampleReconciler],
    clock: cluster.clock,
    onUnsynced: (error) => reported.push((error as Error).message),
  });
  const started = patient.start();
  await cluster.clock.advance(60_000);
  await started;
  assert.deepEqual(reported, ["configmaps: Forbidden", "configmaps: ServiceUnavailable"]);
  await patient.stop();
  const { client, settle } = await sampleCluster({ between: refusing("ServiceUnavailable") });
  await client.create(Palette, palette("spring", "red"));
  await client.create(Sample, sample("a"));
  await settle();
  assert.equal((await readyOf(client, "a")).status, "True");
});
