import assert from "node:assert/strict";
import { test } from "node:test";
import { isServed } from "@trivium/domain";
import { Event, Job, Namespace, PersistentVolumeClaim } from "@trivium/kube";
import { type Answered, answer } from "@trivium/reconcile";
import { formatTime } from "@trivium/std";
import { startCluster, startWorld } from "@trivium/testkit";
import { AIMService, aim, createAim } from "../src/index.ts";
import { AIMModelCache } from "../src/kinds/model-cache.ts";
import { AIMRuntimeConfig } from "../src/kinds/runtime-config.ts";
import { AIMTemplateCache } from "../src/kinds/template-cache.ts";

const apiVersion = "aim.silogen.ai/v1alpha1";
const namespace = "team-a";

test("a namespace keeps its budget: unused weights are deleted, least recently used first, and rejected caches recover", async (t) => {
  const cluster = await startCluster([...aim.kinds]);
  const answers = [answer(isServed, async () => false)] as Answered[];
  const world = await startWorld({ cluster, reconcilers: createAim().reconcilers, answers });
  t.after(() => world.stop());
  const { client, clock } = world;
  await client.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
  const limit = (maxCacheBytes: string) =>
    client.apply(
      AIMRuntimeConfig,
      {
        apiVersion,
        kind: "AIMRuntimeConfig",
        metadata: { name: "default", namespace },
        spec: { storage: { maxCacheBytes, pvcHeadroomPercent: 0 } },
      },
      { fieldManager: "admin", force: true },
    );
  await limit("50Gi");

  const request = async (name: string, size: string) => {
    const spec = { sourceUri: `hf://acme/${name}`, size };
    await client.create(AIMModelCache, { apiVersion, kind: "AIMModelCache", metadata: { name, namespace }, spec });
    await world.settle();
  };
  /** Volumes and Jobs come to their end at once. */
  const fill = async () => {
    for (const { metadata } of (await client.list(PersistentVolumeClaim, { namespace })).items) {
      const body = { status: { phase: "Bound" } };
      const ref = { namespace, name: metadata.name ?? "" };
      await client.patch(PersistentVolumeClaim, ref, { type: "merge", body }, { subresource: "status" });
    }
    await world.settle();
    for (const { metadata, status } of (await client.list(Job, { namespace })).items) {
      if (status?.conditions?.length) continue;
      const lastTransitionTime = formatTime(clock.now());
      const conditions = ["SuccessCriteriaMet", "Complete"].map((type) => ({
        type,
        status: "True",
        lastTransitionTime,
      }));
      const body = {
        status: { startTime: lastTransitionTime, completionTime: lastTransitionTime, succeeded: 1, conditions },
      };
      await client.patch(
        Job,
        { namespace, name: metadata.name ?? "" },
        { type: "merge", body },
        { subresource: "status" },
      );
    }
    await world.settle();
  };
  const states = async () => {
    const { items } = await client.list(AIMModelCache, { namespace });
    return Object.fromEntries(
      items.map(({ metadata, status }) => [
        metadata.name,
        `${status?.status} ${status?.conditions?.find(({ type }) => type === "Ready")?.reason}`,
      ]),
    );
  };

  await request("used", "20Gi");
  await fill();
  await world.elapse(60_000);
  await request("old", "10Gi");
  await fill();
  await world.elapse(60_000);
  await request("young", "10Gi");
  await fill();
  assert.deepEqual(await states(), { used: "Available Warm", old: "Available Warm", young: "Available Warm" });

  // A service that mounts the oldest weights pins them.
  const paused = { "aim.silogen.ai/reconciliation-paused": "true" };
  const hold = async (name: string, caches: string[]) => {
    await client.create(AIMTemplateCache, {
      apiVersion,
      kind: "AIMTemplateCache",
      metadata: { name, namespace, annotations: paused },
      spec: { templateRef: "x" },
    });
    const modelCaches = Object.fromEntries(caches.map((cache) => [cache, { name: cache }]));
    const body = { status: { modelCaches } };
    await client.patch(AIMTemplateCache, { namespace, name }, { type: "merge", body }, { subresource: "status" });
  };
  await hold("of-chat", ["used"]);
  await client.create(AIMService, {
    apiVersion,
    kind: "AIMService",
    metadata: { name: "chat", namespace, annotations: paused },
    spec: { model: { ref: "x" } },
  });
  const since = formatTime(clock.now());
  const conditions = [
    { type: "CacheReady", status: "True", reason: "CacheWarm", message: "", lastTransitionTime: since },
  ];
  const resolvedTemplateCache = { name: "of-chat" };
  const mounted = { status: { resolvedTemplateCache, modelCaches: { used: { name: "used" } }, conditions } };
  await client.patch(
    AIMService,
    { namespace, name: "chat" },
    { type: "merge", body: mounted },
    { subresource: "status" },
  );
  await world.settle();
  const used = await client.get(AIMModelCache, { namespace, name: "used" });
  assert.equal(used.status?.lastUsed, since);
  assert.equal(used.status?.conditions?.find(({ type }) => type === "InUse")?.message, "Used by AIMService chat");

  await request("new", "15Gi");
  await fill();
  assert.deepEqual(await states(), { used: "Available Warm", young: "Available Warm", new: "Available Warm" });
  const events = (await client.list(Event, { namespace })).items;
  const evicted = events.find(({ reason }) => reason === "CacheEvicted");
  assert.equal(evicted?.involvedObject?.name, "old");

  // What a template cache of somebody holds stays as well.
  await hold("wanted", ["young", "new"]);
  await request("last", "10Gi");
  assert.equal((await states()).last, "Failed CacheQuotaExceeded");
  const refused = await client.get(AIMModelCache, { namespace, name: "last" });
  const why = refused.status?.conditions?.find(({ type }) => type === "Failure")?.message ?? "";
  assert.match(why, /45Gi of 50Gi used, 10Gi requested/);
  assert.match(why, /used \(in use\)/);
  assert.match(why, /young \(used by AIMTemplateCache wanted\)/);

  await limit("60Gi");
  await world.settle();
  await fill();
  assert.equal((await states()).last, "Available Warm");
  world.writes.length = 0;
  await world.elapse(600_000);
  assert.deepEqual(world.writes, [], "ten minutes in which nothing happens write nothing");
});
