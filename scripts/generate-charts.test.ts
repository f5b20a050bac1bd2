import assert from "node:assert/strict";
import { test } from "node:test";
import { chartValues, dashboardQueries } from "@trivium/operator";
import { Registry } from "prom-client";
import { parse } from "yaml";
import { AgentMetrics } from "../apps/local/src/node-agent/metrics.ts";
import { Metrics as GatewayMetrics } from "../packages/platform/gateway/src/metrics.ts";
import { Metrics as RuntimeMetrics } from "../packages/platform/runtime/src/metrics/metrics.ts";
import { chartFiles } from "./generate-charts.ts";

test("every query of the dashboard and every metric of an autoscaler names metrics and labels that exist", () => {
  const registry = new Registry();
  new RuntimeMetrics(registry, { waiting: () => [], cached: () => [], isLeader: () => true } as never);
  const agent = new AgentMetrics(() => ({ kind: "", namespace: "", name: "" })).registry;
  const metrics = [registry, new GatewayMetrics(() => 0).registry, agent].flatMap((each) => each.getMetricsAsArray());
  const known = metrics.map(({ name }) => name);
  const gateway = chartFiles().get("deploy/charts/trivium/templates/gateway.yaml") ?? "";
  const named = [...dashboardQueries, gateway].flatMap((text) => text.match(/(?:trivium|model_agent)_\w+/g) ?? []);
  assert.ok(named.includes("trivium_gateway_in_flight"));
  assert.ok(named.includes("model_agent_download_bytes_total"));
  const missing = named.filter((name) => !known.includes(name.replace(/_bucket$/, "")));
  assert.deepEqual(missing, []);
  assert.ok(named.length >= dashboardQueries.length);
  for (const query of dashboardQueries) {
    const [, labels = ""] = /sum by \(([^)]*)\)/.exec(query) ?? [];
    const [name = ""] = query.match(/(?:trivium|model_agent)_\w+/) ?? [];
    const metric = metrics.find((each) => each.name === name.replace(/_bucket$/, "")) as unknown as {
      readonly labelNames: readonly string[];
    };
    const unknown = labels.split(/,\s*/).filter((label) => !["", "le", ...metric.labelNames].includes(label));
    assert.deepEqual(unknown, [], query);
  }
});

test("the values file holds every value with its default and a comment", () => {
  const text = chartFiles().get("deploy/charts/trivium/values.yaml") ?? "";
  const values = parse(text) as Record<string, unknown>;
  for (const [name, { default: expected, about }] of Object.entries(chartValues)) {
    const found = name.split(".").reduce<unknown>((tree, key) => (tree as Record<string, unknown>)[key], values);
    assert.deepEqual(found, expected, name);
    assert.ok(text.includes(`# ${about}\n`), name);
  }
});

test("uninstalling the definitions keeps them, and with them the objects of users", () => {
  const files = [...chartFiles()].filter(([path]) => path.startsWith("deploy/charts/trivium-crds/files/"));
  assert.equal(files.length, 4);
  for (const [path, text] of files) {
    for (const document of text.split("---\n").filter((each) => each !== "")) {
      const { metadata } = JSON.parse(document) as { metadata: { annotations: Record<string, string> } };
      assert.equal(metadata.annotations["helm.sh/resource-policy"], "keep", path);
    }
  }
});
