import assert from "node:assert/strict";
import { test } from "node:test";
import { addFigures, isUnfinished, readFigures } from "./figures.ts";

test("figures of llama.cpp and vLLM are read by their names, over all labels", () => {
  const llama =
    "# TYPE llamacpp:requests_processing gauge\nllamacpp:requests_processing 2\nllamacpp:tokens_predicted_total 40\n";
  const vllm =
    'vllm:num_requests_waiting{model="a"} 3\nvllm:num_requests_waiting{model="b"} 1\nprocess_resident_memory_bytes 1e6\n';
  assert.deepEqual(readFigures(llama), { memoryBytes: undefined, tokens: 40, running: 2, waiting: undefined });
  assert.deepEqual(readFigures(vllm), { memoryBytes: 1e6, tokens: undefined, running: undefined, waiting: 4 });
  assert.deepEqual(readFigures("<html>\nfoo NaN\n"), readFigures(""));
});

test("pods are added up, and what none reports stays unknown", () => {
  assert.deepEqual(addFigures([{ tokens: 1 }, { tokens: 2, running: 1 }]), {
    memoryBytes: undefined,
    tokens: 3,
    running: 1,
    waiting: undefined,
  });
});

test("pods of a finished download are not counted, those that wait or run are", () => {
  const phases = ["Pending", "Running", "Succeeded", "Failed", "Unknown"] as const;
  const pods = phases.map((phase) => ({ status: { phase } }));
  assert.deepEqual(
    pods.filter(isUnfinished).map(({ status }) => status.phase),
    ["Pending", "Running", "Unknown"],
  );
});
