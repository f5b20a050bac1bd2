import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { addressRuleOf } from "./address-rule.ts";
import { rootProblem, serveHealth } from "./health.ts";
import { AgentMetrics } from "./metrics.ts";
import { parseOptions } from "./options.ts";

const optionsOf = (args: readonly string[], env: Record<string, string> = {}) => {
  const request = parseOptions(args, env);
  assert.ok(request.is === "run");
  return request.options;
};

test("the node is named by the flag or by the variable of a DaemonSet, and must be named", () => {
  assert.equal(optionsOf(["--node-name", "n1"], { NODE_NAME: "n2" }).nodeName, "n1");
  assert.equal(optionsOf([], { NODE_NAME: "n2" }).nodeName, "n2");
  assert.throws(() => parseOptions([], {}), /the name of this node is missing; set --node-name/);
});

test("folders, limits and ports", () => {
  const usual = optionsOf(["--node-name", "n"]);
  assert.deepEqual(
    [usual.modelsRoot, usual.store, usual.namespace, usual.healthPort],
    ["/mnt/data/models", "/mnt/data/models/.trivium", "ome", 8080],
  );
  const limit = (text: string) => optionsOf(["--node-name", "n", "--disk-limit", text]).diskLimit;
  assert.deepEqual(["1000", "5G", "5Gi", "2TB"].map(limit), [1000, 5e9, 5 * 1024 ** 3, 2e12]);
  const hosts = ["--node-name", "n", "--allowed-remote-hosts", "mirror.internal,10.0.0.0/8"];
  assert.deepEqual(optionsOf(hosts).allowedRemoteHosts, ["mirror.internal", "10.0.0.0/8"]);
  assert.throws(
    () => optionsOf(["--node-name", "n", "--allowed-remote-hosts", "http://x"]),
    /is not a valid host, address/,
  );
  assert.deepEqual(optionsOf(["--node-name", "n", "--allow-root", "/a", "--allow-root", "/b"]).allowRoot, ["/a", "/b"]);
  for (const wrong of [
    ["--disk-limit", "much"],
    ["--health-port", "70000"],
    ["--downloads", "0"],
    ["--bogus"],
    ["word"],
  ])
    assert.throws(() => parseOptions(["--node-name", "n", ...wrong], {}), /; see --help/);
  assert.equal(parseOptions(["--help"], {}).is, "read");
});

test("health: a folder is well, none and a file are not (A21)", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "trivium-health-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "file");
  writeFileSync(file, "");
  assert.equal(await rootProblem(folder), undefined);
  assert.equal(await rootProblem(join(folder, "none")), `${join(folder, "none")} does not exist`);
  assert.equal(await rootProblem(file), `${file} is not a folder`);
  const metrics = new AgentMetrics(() => ({ kind: "BaseModel", namespace: "team", name: "m" }));
  metrics.count({ is: "received", key: "k", bytes: 7 });
  metrics.count({ is: "verified", key: "k", result: "failure", seconds: 2 });
  const state = { obstacle: "caches are not synced yet" as string | undefined };
  const server = await serveHealth({
    host: "127.0.0.1",
    port: 0,
    registry: metrics.registry,
    root: folder,
    findObstacle: () => state.obstacle,
  });
  t.after(() => server.close());
  const statusOf = async (path: string) => (await fetch(server.url + path)).status;
  assert.deepEqual(await Promise.all(["/livez", "/healthz", "/readyz", "/other"].map(statusOf)), [200, 200, 503, 404]);
  state.obstacle = undefined;
  assert.equal(await statusOf("/readyz"), 200);
  const text = await (await fetch(`${server.url}/metrics`)).text();
  const labels = 'model_type="BaseModel",namespace="team",name="m"';
  assert.ok(text.includes(`model_agent_download_bytes_total{${labels}} 7`));
  assert.ok(text.includes(`model_agent_verifications_total{${labels},result="failure"} 1`));
  assert.ok(text.includes(`model_agent_verification_duration_seconds_sum{${labels}} 2`));
});

test("metrics of an agent can require what the cluster authorizes, and probes never do", async (t) => {
  const server = await serveHealth({
    host: "127.0.0.1",
    port: 0,
    registry: new AgentMetrics(() => ({ kind: "", namespace: "", name: "" })).registry,
    root: tmpdir(),
    findObstacle: () => undefined,
    access: async (header) =>
      header === "Bearer scraper" ? { status: 200, message: "" } : { status: 401, message: "send a token" },
  });
  t.after(() => server.close());
  const statusOf = async (path: string, headers: Record<string, string> = {}) =>
    (await fetch(server.url + path, { headers })).status;
  assert.deepEqual(await Promise.all(["/livez", "/readyz", "/metrics"].map((path) => statusOf(path))), [200, 200, 401]);
  assert.equal(await statusOf("/metrics", { authorization: "Bearer scraper" }), 200);
});

test("the agent fetches from the internet, from mirrors it was given, and from what was allowed", () => {
  const mirrors = {
    HF_ENDPOINT: "http://hub.internal:8080",
    AWS_ENDPOINT_URL: "http://[fd00::1]:9000",
    OCI_ENDPOINT: "",
  };
  assert.deepEqual(addressRuleOf(["10.0.0.0/8"], mirrors), { publicAnd: ["10.0.0.0/8", "hub.internal", "fd00::1"] });
  assert.deepEqual(addressRuleOf([], {}), { publicAnd: [] });
  assert.equal(addressRuleOf(["a", "*"], {}), "any");
});
