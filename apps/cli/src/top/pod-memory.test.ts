import assert from "node:assert/strict";
import { test } from "node:test";
import { parseMemory } from "./pod-memory.ts";

test("the memory of a pod is that of its containers; what is no list of pods has none", () => {
  const item = (name: string, ...memory: string[]) => ({
    metadata: { name },
    containers: memory.map((one) => ({ name: "c", usage: { memory: one, cpu: "1m" } })),
  });
  const list = { kind: "PodMetricsList", items: [item("a", "1Mi", "512Ki"), item("b"), null, { containers: 3 }] };
  assert.deepEqual([...parseMemory(JSON.stringify(list))], [["a", 1.5 * 1024 ** 2]]);
  for (const body of ["", "<html>", "null", '{"items":3}']) assert.equal(parseMemory(body).size, 0, body);
});
