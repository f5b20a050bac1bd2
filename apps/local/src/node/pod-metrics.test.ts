import assert from "node:assert/strict";
import { test } from "node:test";
import { sumOf } from "./pod-metrics.ts";

test("a gauge is summed over its labels, in thousandths", () => {
  const text = [
    "# HELP llamacpp:requests_processing Requests",
    "llamacpp:requests_processing 2",
    'vllm:num_requests_running{model="a"} 1.5',
    'vllm:num_requests_running{model="b"} 1',
    "broken NaN",
  ].join("\n");
  assert.equal(sumOf(text, "llamacpp:requests_processing"), 2000);
  assert.equal(sumOf(text, "vllm:num_requests_running"), 2500);
  assert.equal(sumOf(text, "broken"), undefined);
  assert.equal(sumOf(text, "absent"), undefined);
});
