import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError, type KubeClient } from "@trivium/kube";
import { answer } from "@trivium/reconcile";
import { takePass } from "@trivium/runtime";
import type { SnapshotOptions } from "../src/snapshot.ts";
import { flowerPrice, palettes, Sample, sample, sampleReconciler } from "./sample.ts";
import { ref, sampleCluster } from "./sample-cluster.ts";

const market = answer(flowerPrice, async ({ colour }) => colour.length);

async function served(change: Partial<SnapshotOptions> = {}) {
  const { client, settle, runtime, writes, clock } = await sampleCluster();
  const [palette] = palettes;
  assert.ok(palette);
  await client.create(palette, {
    apiVersion: `${palette.group}/${palette.version}`,
    kind: palette.kind,
    metadata: ref("p"),
    spec: { colour: "red" },
  } as never);
  await client.create(Sample, sample("a", { flowers: 2, palette: "p" }));
  await settle();
  writes.length = 0;
  const object = await client.get(Sample, ref("a"));
  const options = { client, answers: [market], now: clock.now(), signal: new AbortController().signal, ...change };
  return { pass: await takePass(sampleReconciler, object, options), runtime, writes };
}

test("a pass over a snapshot observes and decides what the runtime does, and writes nothing", async () => {
  const { pass, runtime, writes } = await served();
  const own = runtime.explain(sampleReconciler.name, ref("a"));
  assert.ok(own);
  assert.deepEqual(pass.observed, own.observed);
  assert.deepEqual(pass.decision, own.decision);
  assert.equal(pass.decision.do, "converge");
  assert.deepEqual(writes, []);
});

test("a query that nobody answers is pending, and what fails is unreachable with its cause", async () => {
  assert.match(JSON.stringify((await served({ answers: [] })).pass.observed), /"is":"pending"/);
  const broken = answer(flowerPrice, () => Promise.reject(new Error("market closed")));
  assert.match(JSON.stringify((await served({ answers: [broken] })).pass.observed), /market closed/);
});

test("what the caller may not list is unknown, not absent", async () => {
  const { client, settle, clock } = await sampleCluster();
  await client.create(Sample, sample("a", { flowers: 1, palette: "p" }));
  await settle();
  const object = await client.get(Sample, ref("a"));
  const refusing: KubeClient = Object.assign(Object.create(client) as KubeClient, {
    list: () => Promise.reject(new ApiError({ code: 403, reason: "Forbidden", message: "no" } as never)),
  });
  const options = { client: refusing, answers: [market], now: clock.now(), signal: new AbortController().signal };
  const { observed, decision } = await takePass(sampleReconciler, object, options);
  assert.match(JSON.stringify(observed), /no permission to list/);
  assert.equal(decision.do, "hold");
});
