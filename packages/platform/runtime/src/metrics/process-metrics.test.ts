import assert from "node:assert/strict";
import { test } from "node:test";
import { Registry } from "prom-client";
import { collectProcessMetrics } from "./process-metrics.ts";

async function valuesOf(registry: Registry): Promise<Record<string, number>> {
  const all = await registry.getMetricsAsJSON();
  return Object.fromEntries(all.map(({ name, values }) => [name, values[0]?.value ?? Number.NaN]));
}

test("a scrape shows time, memory and files of the process", async () => {
  const registry = new Registry();
  collectProcessMetrics(registry);
  const values = await valuesOf(registry);
  assert.deepEqual(Object.keys(values).sort(), [
    "nodejs_eventloop_utilization",
    "nodejs_external_memory_bytes",
    "nodejs_heap_size_total_bytes",
    "nodejs_heap_size_used_bytes",
    "process_cpu_seconds_total",
    "process_open_fds",
    "process_resident_memory_bytes",
    "process_start_time_seconds",
  ]);
  assert.ok((values.process_resident_memory_bytes ?? 0) > (values.nodejs_heap_size_used_bytes ?? 0));
  assert.ok((values.nodejs_eventloop_utilization ?? -1) >= 0 && (values.nodejs_eventloop_utilization ?? 2) <= 1);
  const start = values.process_start_time_seconds ?? 0;
  assert.ok(start > 1.7e9 && start * 1000 <= Date.now());
});

test("processor time is a total, not a sum of scrapes", async () => {
  const registry = new Registry();
  collectProcessMetrics(registry);
  const first = (await valuesOf(registry)).process_cpu_seconds_total ?? 0;
  const second = (await valuesOf(registry)).process_cpu_seconds_total ?? 0;
  assert.ok(first > 0 && second >= first && second < first * 2);
});
