import assert from "node:assert/strict";
import { it } from "node:test";
import { Histogram, Registry } from "prom-client";
import { Metrics } from "./metrics.ts";
import { ModelHistogram } from "./metrics-histogram.ts";

const linesOf = (text: string): string[] => text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));

it("prints a histogram as prom-client does, value for value", async () => {
  const [ours, theirs] = [new Registry(), new Registry()];
  const options = { name: "h_seconds", help: "Help" };
  const buckets = [0.005, 0.1, 1];
  const cheap = new ModelHistogram({ ...options, bounds: buckets });
  ours.registerMetric(cheap);
  const plain = new Histogram({ ...options, buckets, labelNames: ["model"], registers: [theirs] });
  for (const [model, value] of [
    ["a/b", 0.005],
    ["a/b", 0.0050001],
    ["a/b", 7],
    ["c/d", 0],
    ["c/d", 1],
  ] as const) {
    cheap.note(model, value);
    plain.observe({ model }, value);
  }
  assert.equal(await ours.metrics(), await theirs.metrics());
});

it("counts requests, tokens and what is in flight, the same at every scrape", async () => {
  const metrics = new Metrics(() => 3);
  metrics.began("a/b");
  metrics.began("a/b");
  metrics.ended("a/b", 200, 40);
  metrics.tokens("a/b", { prompt: 5, completion: 2 });
  metrics.tokens("a/b", { prompt: 1, completion: 1 });
  const first = linesOf(await metrics.registry.metrics());
  for (const line of [
    "trivium_gateway_held 3",
    'trivium_gateway_in_flight{model="a/b"} 1',
    'trivium_gateway_requests_total{model="a/b",code="200"} 1',
    'trivium_gateway_tokens_total{model="a/b",kind="prompt"} 6',
    'trivium_gateway_tokens_total{model="a/b",kind="completion"} 3',
    'trivium_gateway_request_seconds_bucket{le="0.05",model="a/b"} 1',
    'trivium_gateway_request_seconds_count{model="a/b"} 1',
  ])
    assert.ok(first.includes(line), `${line} in\n${first.join("\n")}`);
  assert.deepEqual(linesOf(await metrics.registry.metrics()), first);
});

it("counts Services beyond the five hundredth together", async () => {
  const metrics = new Metrics(() => 0);
  for (let at = 0; at < 600; at += 1) {
    metrics.began(`ns/s${at}`);
    metrics.ended(`ns/s${at}`, 200, 1);
  }
  const counts = linesOf(await metrics.registry.metrics()).filter((line) => line.includes("requests_total"));
  assert.equal(counts.length, 501);
  assert.ok(counts.includes('trivium_gateway_requests_total{model="other",code="200"} 100'));
});
