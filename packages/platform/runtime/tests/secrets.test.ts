import assert from "node:assert/strict";
import { test } from "node:test";
import { ConfigMap, Secret } from "@trivium/kube";
import type { Reconciler } from "@trivium/reconcile";
import { Sample, sample } from "./sample.ts";
import { namesOf, plot, ref, sampleCluster } from "./sample-cluster.ts";

/** Has one ConfigMap once the Secret of the same name exists. */
const manager: Reconciler<Sample, { isThere: boolean }, typeof Secret> = {
  name: "keeper",
  kind: Sample,
  reads: [Secret],
  writes: [ConfigMap],
  observe: ({ metadata }, reader) => ({ isThere: reader.get(Secret, ref(metadata.name ?? "")).is === "known" }),
  decide: ({ metadata }, { isThere }) => {
    const object: ConfigMap = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: metadata.name ?? "" } };
    return { do: "converge", children: isThere ? [{ kind: ConfigMap, object }] : [], status: {} as never };
  },
};

test("a Secret is read by name and never listed; its creation triggers the reader, and so does its end", async () => {
  const cluster = await plot();
  const asked: string[] = [];
  const watched = cluster.client;
  const { list, watch } = watched;
  Object.assign(watched, {
    list: (kind: { plural: string }, ...rest: []) => {
      asked.push(kind.plural);
      return list.call(watched, kind as never, ...rest);
    },
    watch: (kind: { plural: string }, ...rest: []) => {
      asked.push(kind.plural);
      return watch.call(watched, kind as never, ...rest);
    },
  });
  const { client, settle, elapse } = await sampleCluster({ cluster, reconcilers: [manager] });
  await client.create(Sample, sample("a", { flowers: 1 }));
  await settle();
  assert.deepEqual(await namesOf(client), []);
  await client.create(Secret, { apiVersion: "v1", kind: "Secret", metadata: ref("a") });
  await elapse(6_000);
  await settle();
  assert.deepEqual(await namesOf(client), ["a"]);
  await client.delete(Secret, ref("a"));
  await elapse(61_000);
  await settle();
  assert.deepEqual(await namesOf(client), []);
  assert.ok(asked.includes("configmaps"));
  assert.ok(!asked.includes("secrets"), "no list and no watch of Secrets");
});
