import assert from "node:assert/strict";
import { test } from "node:test";
import { startCluster, startWorld } from "@trivium/testkit";
import { llmkube } from "../src/index.ts";
import { LoRAAdapter } from "../src/kinds/lora-adapter.ts";

test("the finalizer of LLMKube does not hold a deleted adapter", async (t) => {
  const cluster = await startCluster(llmkube.kinds);
  t.after(() => cluster.close());
  const { client } = cluster;
  const ref = { namespace: "default", name: "tone" };
  await client.create(LoRAAdapter, {
    apiVersion: "inference.llmkube.dev/v1alpha1",
    kind: "LoRAAdapter",
    metadata: { ...ref, finalizers: ["loraadapter.inference.llmkube.dev/finalizer"] },
    spec: { inferenceServiceRef: { name: "chat" }, name: "tone", path: "/adapters/tone.gguf" },
  });
  const world = await startWorld({ cluster, reconcilers: llmkube.reconcilers, release: "one" });
  await world.settle();
  await client.delete(LoRAAdapter, ref);
  await world.elapse(5_000);
  assert.deepEqual((await client.list(LoRAAdapter, {})).items, []);
  await world.stop();
});
