import assert from "node:assert/strict";
import { test } from "node:test";
import { rateBetween } from "./rates.ts";

const reading = (at: number, ok: number, failed: number, tokens: number) => ({
  at,
  samples: [
    { name: "trivium_gateway_requests_total", labels: { model: "a/chat", code: "200" }, value: ok },
    { name: "trivium_gateway_requests_total", labels: { model: "a/chat", code: "503" }, value: failed },
    { name: "trivium_gateway_requests_total", labels: { model: "a/code", code: "200" }, value: ok },
    { name: "trivium_gateway_tokens_total", labels: { model: "a/chat", kind: "completion" }, value: tokens },
    { name: "trivium_gateway_tokens_total", labels: { model: "a/chat", kind: "prompt" }, value: 1_000 },
    { name: "trivium_gateway_in_flight", labels: { model: "a/chat" }, value: 3 },
  ],
});

test("rates are differences of two readings, of one model or of all", () => {
  const [before, after] = [reading(0, 10, 1, 100), reading(2_000, 14, 3, 150)];
  assert.deepEqual(rateBetween(before, after, "a/chat"), { at: 2, requests: 3, failures: 1, tokens: 25, inFlight: 3 });
  assert.equal(rateBetween(before, after).requests, 5);
  assert.equal(rateBetween(before, after, "a/none").inFlight, 0);
});

test("a gateway that was started again has no negative rate", () => {
  assert.equal(rateBetween(reading(0, 10, 1, 100), reading(1_000, 0, 0, 0)).requests, 0);
});
