// The charts, rendered and installed by the real Helm on a real control plane.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { type Chosen, emitInstallation } from "@trivium/operator";
import { parse, parseAllDocuments, stringify } from "yaml";
import { startControlPlane } from "../control-plane.ts";
import { ensureHelm, isHelmBuilt } from "./helm.ts";

const chart = "deploy/charts/trivium";
const namespace = "trivium-charts";

function helmOrSkip(t: TestContext): string | undefined {
  if (isHelmBuilt()) return ensureHelm((line) => t.diagnostic(line));
  t.skip("Helm is not built on this machine; run npm run cluster:up -- --node once");
  return undefined;
}

function render(helm: string, args: readonly string[]): unknown[] {
  const all = ["template", "trivium", chart, "--namespace", namespace, "--kube-version", "1.36.4", ...args];
  return parseAllDocuments(execFileSync(helm, all, { encoding: "utf8" }))
    .map((document) => document.toJS() as unknown)
    .filter((object) => object !== null);
}

/** Helm sorts by kind, so only the set is compared. */
const sorted = (objects: readonly unknown[]): unknown[] => [...objects].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));

function keyOf(object: unknown): string {
  const { kind, metadata } = object as { kind: string; metadata: { name: string; namespace?: string } };
  return `${kind} ${metadata.namespace ?? ""} ${metadata.name}`;
}

test("Helm renders exactly the objects that trivium manifests prints", (t) => {
  const helm = helmOrSkip(t);
  if (helm === undefined) return;
  const compare = (args: readonly string[], values: Chosen["values"]): void => {
    const expected = emitInstallation({ release: "trivium", namespace, values });
    assert.deepEqual(sorted(render(helm, args)), sorted(expected), args.join(" "));
  };
  compare([], {});
  compare(["--set", "dialects={ome}"], { dialects: ["ome"] });
  compare(["--set", "namespace=team-a,dialects={aim,llmkube}"], { namespace: "team-a", dialects: ["aim", "llmkube"] });
  const chosen =
    "gateway.apiKeysSecret=keys,monitoring.serviceMonitor=true,monitoring.dashboard=true,networkPolicy=false";
  compare(["--set", chosen, "--set", "operator.args={--qps=7}"], {
    "gateway.apiKeysSecret": "keys",
    "monitoring.serviceMonitor": true,
    "monitoring.dashboard": true,
    networkPolicy: false,
    "operator.args": ["--qps=7"],
  });
  compare(["--set", "gateway.replicas=2,gateway.maxReplicas=9,gateway.targetRequests=40"], {
    "gateway.replicas": 2,
    "gateway.maxReplicas": 9,
    "gateway.targetRequests": 40,
  });
  compare(["--set", "dashboard.enabled=true,dashboard.readOnly=true,dashboard.allowedHosts={a.example,b.example}"], {
    "dashboard.enabled": true,
    "dashboard.readOnly": true,
    "dashboard.allowedHosts": ["a.example", "b.example"],
  });
  compare(["--set", "dashboard.enabled=true,gateway.enabled=false,networkPolicy=false"], {
    "dashboard.enabled": true,
    "gateway.enabled": false,
    networkPolicy: false,
  });
  compare(["--set", `namespace=${namespace},nodeAgent.namespace=${namespace}`], {
    namespace,
    "nodeAgent.namespace": namespace,
  });
  compare(["--set", "monitoring.authentication=false"], { "monitoring.authentication": false });
  compare(["--set", "gateway.replicas=3,gateway.targetCPU="], { "gateway.replicas": 3, "gateway.targetCPU": "" });
});

test("a value that does not exist, or has the wrong type, is refused", (t) => {
  const helm = helmOrSkip(t);
  if (helm === undefined) return;
  for (const wrong of [
    "operator.replica=1",
    "gateway.enabled=perhaps",
    "dialects={kserve}",
    "image.pullPolicy=Often",
    "gateway.maxReplicas=many",
  ]) {
    const args = ["template", "trivium", chart, "--kube-version", "1.36.4", "--set", wrong];
    const { status, stderr } = spawnSync(helm, args, { encoding: "utf8" });
    assert.notEqual(status, 0, wrong);
    assert.match(stderr, /schema/, wrong);
  }
});

/** The chart of a release that knew fewer values. */
function formerChart(folder: string): string {
  const former = join(folder, "former");
  cpSync(chart, former, { recursive: true });
  for (const file of ["templates", "values.schema.json"]) rmSync(join(former, file), { recursive: true });
  const {
    dashboard: _dashboard,
    monitoring: _monitoring,
    ...values
  } = parse(readFileSync(join(former, "values.yaml"), "utf8")) as Record<string, unknown>;
  writeFileSync(join(former, "values.yaml"), stringify(values));
  return former;
}

test("Helm installs, upgrades and uninstalls the charts, and objects of users stay", async (t) => {
  const helm = helmOrSkip(t);
  if (helm === undefined) return;
  const cluster = await startControlPlane();
  if (typeof cluster === "string") return t.skip(cluster);
  const home = mkdtempSync(join(tmpdir(), "trivium-helm-"));
  t.after(async () => {
    await cluster.stop();
    rmSync(home, { recursive: true, force: true });
  });
  const env = { ...process.env, KUBECONFIG: cluster.kubeconfig, HOME: home };
  const run = (...args: string[]): string => execFileSync(helm, args, { encoding: "utf8", env });
  // The definitions of OME keep an API server on a busy machine longer than Helm waits.
  const few = ["--set", "dialects={aim,llmkube}"];
  run("install", "trivium-crds", "deploy/charts/trivium-crds", ...few);
  const former = formerChart(home);
  run(
    "install",
    "trivium",
    former,
    "--namespace",
    namespace,
    "--create-namespace",
    ...few,
    "--set",
    "networkPolicy=false",
  );
  // As docs/guides/upgrade.md: values that this chart has and the former one had not get their defaults.
  run("upgrade", "trivium", chart, "--namespace", namespace, "--reset-then-reuse-values");
  const policies = ["get", "networkpolicies", "-n", namespace, "-o", "name"];
  assert.equal(await cluster.kubectl(policies), "", "what was set stays");
  const scaled = [...few, "--set", "operator.replicas=3,gateway.maxReplicas=4,gateway.targetRequests=40"];
  run("upgrade", "trivium", chart, "--namespace", namespace, ...scaled);

  const gateway = "trivium-gateway";
  const read = async (kind: string, path: string): Promise<string> =>
    cluster.kubectl(["get", kind, gateway, "-n", namespace, "-o", `jsonpath={${path}}`]);
  assert.equal(await read("hpa", ".spec.maxReplicas"), "4");
  assert.equal(await read("hpa", ".spec.metrics[*].type"), "Resource Pods");
  await cluster.kubectl(["scale", "deployment", gateway, "-n", namespace, "--replicas=3"]);
  run("upgrade", "trivium", chart, "--namespace", namespace, ...scaled, "--set", "gateway.args={--max-held=7}");
  assert.equal(await read("deployment", ".spec.replicas"), "3", "the number that the autoscaler chose stays");
  assert.match(await read("deployment", ".spec.template.spec.containers[0].args"), /--idle=off.*--max-held=7/);

  const account = `system:serviceaccount:${namespace}:trivium-operator`;
  const can = async (verb: string, resource: string): Promise<string> =>
    (await cluster.kubectl(["auth", "can-i", verb, resource, "-A", "--as", account]).catch(() => "no")).trim();
  assert.equal(await can("list", "aimservices.aim.silogen.ai"), "yes");
  assert.equal(await can("list", "secrets"), "no");
  assert.equal(await can("delete", "nodes"), "no");
  assert.equal(await can("create", "clusterroles"), "no");

  const model = { source: "hf://org/repo" };
  const user = { apiVersion: "inference.llmkube.dev/v1alpha1", kind: "Model", metadata: { name: "kept" }, spec: model };
  await cluster.kubectl(["apply", "-f", "-"], JSON.stringify(user));
  run("uninstall", "trivium", "--namespace", namespace, "--wait");
  run("uninstall", "trivium-crds", "--wait");
  assert.match(await cluster.kubectl(["get", "models.inference.llmkube.dev", "-o", "name"]), /kept/);
  assert.equal(
    await cluster.kubectl(["get", "all,networkpolicies,poddisruptionbudgets,roles", "-n", namespace, "-o", "name"]),
    "",
  );
});
