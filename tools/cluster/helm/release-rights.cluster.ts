// Releases of one namespace and of all, installed by the real Helm: their programs work with exactly the rights that they got.
import assert from "node:assert/strict";
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { until } from "@trivium/testkit";
import { parse, stringify } from "yaml";
import { type ControlPlane, startControlPlane } from "../control-plane.ts";
import { ensureHelm, isHelmBuilt } from "./helm.ts";

const team = "team-a";
const repository = join(import.meta.dirname, "../../..");

/** A kubeconfig with a token of an account of a release. */
async function writeAccount(
  { kubeconfig, kubectl }: ControlPlane,
  folder: string,
  [namespace, name]: readonly [string, string],
): Promise<string> {
  const config = parse(readFileSync(kubeconfig, "utf8")) as { users: { user: object }[] };
  const token = (await kubectl(["create", "token", name, "-n", namespace, "--duration=1h"])).trim();
  for (const each of config.users) each.user = { token };
  const path = join(folder, name);
  writeFileSync(path, stringify(config));
  return path;
}

function run(parts: AsyncDisposableStack, program: string, args: readonly string[]): { text: string } {
  const output = { text: "" };
  const child: ChildProcess = spawn(process.execPath, [join(repository, program), ...args], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding("utf8").on("data", (piece: string) => {
      output.text += piece;
    });
  parts.defer(async () => {
    child.kill("SIGTERM");
    await ended;
  });
  return output;
}

test("gateway and node agent work with the rights of the chart, in one namespace and in all", async (t) => {
  if (!isHelmBuilt()) return t.skip("Helm is not built on this machine; run npm run cluster:up -- --node once");
  await using parts = new AsyncDisposableStack();
  const cluster = await startControlPlane();
  if (typeof cluster === "string") return t.skip(cluster);
  parts.defer(() => cluster.stop());
  const home = mkdtempSync(join(tmpdir(), "trivium-team-"));
  parts.defer(() => rmSync(home, { recursive: true, force: true }));
  const { kubectl } = cluster;
  const definitions = ["basemodels", "clusterbasemodels", "finetunedweights"].map((each) => `ome/${each}.ome.io`);
  await kubectl([
    ...["apply", "--server-side"],
    ...definitions.flatMap((each) => ["-f", join(repository, "deploy/crds", `${each}.yaml`)]),
  ]);
  const install = (release: string, namespace: string, values: string): void => {
    execFileSync(
      ensureHelm(() => undefined),
      ["install", release, "deploy/charts/trivium", "--namespace", namespace, "--create-namespace", "--set", values],
      { cwd: repository, env: { ...process.env, KUBECONFIG: cluster.kubeconfig, HOME: home } },
    );
  };
  install(
    "trivium",
    team,
    `namespace=${team},nodeAgent.namespace=${team},dialects={ome,llmkube},webhooks.enabled=false`,
  );
  install("wide", "trivium-wide", "dialects={aim}");
  const can = async (account: string, words: string): Promise<string> =>
    (await kubectl(["auth", "can-i", ...words.split(" "), "--as", `system:serviceaccount:${team}:trivium-${account}`]))
      .trim()
      .toLowerCase();
  for (const [account, words] of [
    ["gateway", "patch deployments.apps"],
    ["gateway", "list pods"],
    ["gateway", "list basemodels.ome.io"],
    ["node-agent", "list basemodels.ome.io"],
    ["operator", "patch basemodels.ome.io"],
  ] as const) {
    assert.equal(await can(account, `${words} -n ${team}`), "yes", `${account} ${words}`);
    assert.equal(await can(account, `${words} -n default`).catch(() => "no"), "no", `${account} ${words}`);
  }

  await kubectl(["apply", "-f", "-"], JSON.stringify({ apiVersion: "v1", kind: "Node", metadata: { name: "n1" } }));
  const gateway = run(parts, "packages/platform/gateway/src/main.ts", [
    ...["--kubeconfig", await writeAccount(cluster, home, [team, "trivium-gateway"]), "--namespace", team],
    ...["--port", "0", "--workers", "1"],
  ]);
  const agent = run(parts, "apps/local/src/node-agent/main.ts", [
    ...["--kubeconfig", await writeAccount(cluster, home, [team, "trivium-node-agent"]), "--namespace", team],
    ...["--watch-namespace", team, "--node-name", "n1", "--models-root", join(home, "models"), "--health-port", "0"],
  ]);
  const wide = run(parts, "packages/platform/gateway/src/main.ts", [
    ...["--kubeconfig", await writeAccount(cluster, home, ["trivium-wide", "wide-gateway"])],
    ...["--port", "0", "--workers", "1"],
  ]);
  // Each is ready when it has listed every kind once, which one missing right prevents.
  await until(() => /^ready: /m.test(gateway.text), "the gateway is ready");
  await until(() => /^ready: /m.test(wide.text), "the gateway of all namespaces is ready");
  const health = () => /"health":"([^"]+)"/.exec(agent.text)?.[1];
  const isReady = () =>
    fetch(`${health()}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
  await until(() => health() !== undefined && isReady(), "the node agent is ready");
  assert.doesNotMatch(gateway.text + wide.text + agent.text, /forbidden/i);
});
