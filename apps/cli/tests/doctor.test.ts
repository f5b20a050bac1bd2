import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import {
  type AnyObject,
  CustomResourceDefinition,
  type DefinedKind,
  emitCrd,
  type Kind,
  Node,
  StorageClass,
} from "@trivium/kube";
import { llmkube } from "@trivium/llmkube";
import { startCluster } from "@trivium/testkit";
import { checkClock, checkNodes, checkRivals, checkStorage } from "../src/doctor/cluster.ts";
import { printFindings } from "../src/doctor/command.ts";
import { checkDefinitions } from "../src/doctor/definitions.ts";
import { checkOutside } from "../src/doctor/outside.ts";
import { temporaryHome, trivium } from "./running.ts";

const [Model] = llmkube.kinds as readonly DefinedKind[] as [DefinedKind];

test("a cluster is checked: definitions and their drift, nodes, storage, other controllers, the clock", async (t) => {
  const { client, clock, rest, close } = await startCluster(llmkube.kinds);
  t.after(close);
  const definitions = async () => printFindings(await checkDefinitions(client, [llmkube])).split("\n")[0];
  assert.equal(await definitions(), "ok   definitions of llmkube   4 kinds, current");
  const nodes = async (remedy?: string) => (await checkNodes(client, remedy)).map(({ is, found }) => `${is} ${found}`);
  assert.deepEqual(await nodes("install the plugin"), ["problem none", "warning no node offers any"]);
  assert.deepEqual(await nodes(), ["problem none", "ok no node offers any"], "a laptop needs no device plugin");
  assert.deepEqual(await checkStorage(client).then(({ is, found }) => [is, found]), ["warning", "no storage class"]);
  assert.equal((await checkClock(client, "default", clock.now()))?.is, "ok");
  assert.match((await checkClock(client, "default", clock.now() + 300_000))?.found ?? "", /by 300s$/);
  assert.equal((await checkRivals(client, [llmkube])).is, "ok");

  const create = async (kind: Kind, object: object, status?: object) => {
    const made = (await client.create(kind, object as never)) as AnyObject;
    if (status === undefined) return;
    const patch = { type: "merge", body: { status } } as never;
    await client.patch(kind, made.metadata as never, patch, { subresource: "status", fieldManager: "upstream" });
  };
  const allocatable = { "nvidia.com/gpu": "2", memory: "1Gi" };
  const conditions = [{ type: "Ready", status: "True" }];
  await create(Node, { apiVersion: "v1", kind: "Node", metadata: { name: "n1" } }, { allocatable, conditions });
  assert.deepEqual(await nodes(), ["ok 1 ready", "ok 2 nvidia.com/gpu"]);
  await create(Node, { apiVersion: "v1", kind: "Node", metadata: { name: "n2" } });
  assert.equal((await nodes())[0], "problem not ready: n2");
  const annotations = { "storageclass.kubernetes.io/is-default-class": "true" };
  const metadata = { name: "fast", annotations };
  await create(StorageClass, { apiVersion: "storage.k8s.io/v1", kind: "StorageClass", metadata, provisioner: "x" });
  assert.equal((await checkStorage(client)).found, "default class fast");

  const model = {
    apiVersion: "inference.llmkube.dev/v1alpha1",
    kind: "Model",
    metadata: { name: "m", namespace: "default" },
  };
  await create(Model, { ...model, spec: { source: "hf://a/b/c.gguf" } }, { phase: "Ready" });
  assert.match((await checkRivals(client, [llmkube])).found, /^also written by upstream \(Model\)$/);

  const crd = emitCrd(Model) as unknown as { spec: { versions: { schema: { openAPIV3Schema: unknown } }[] } };
  const older = structuredClone(crd);
  const schema = older.spec.versions[0]?.schema.openAPIV3Schema as {
    properties: { spec: { properties: Record<string, unknown> } };
  };
  delete schema.properties.spec.properties.sha256;
  const ref = { name: "models.inference.llmkube.dev" };
  await client.patch(CustomResourceDefinition, ref, {
    type: "merge",
    body: { spec: { versions: older.spec.versions } },
  } as never);
  assert.match(
    `${await definitions()}`,
    /^problem.*Model of the cluster lacks spec\.sha256; install them with: trivium crds/,
  );
  await client.delete(CustomResourceDefinition, ref);
  await rest();
  assert.match(`${await definitions()}`, /^problem.*missing: Model; install them/);
});

test("the hub and its token are checked, and the token is never printed", async (t) => {
  const server = createServer((request, response) => {
    const statuses: Record<string, number> = { "Bearer right": 200, "Bearer mirrored": 404 };
    response.writeHead(statuses[request.headers.authorization ?? ""] ?? 401).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  const { port } = server.address() as { port: number };
  const HF_ENDPOINT = `http://127.0.0.1:${port}`;
  const tokenOf = async (HF_TOKEN: string) =>
    (await checkOutside({ HF_ENDPOINT, HF_TOKEN }, {})).filter(({ check }) => /HF_TOKEN|Hugging/.test(check));
  assert.deepEqual(
    (await tokenOf("right")).map(({ is, found }) => `${is} ${found}`),
    ["ok responds (401)", "ok valid"],
  );
  assert.match(`${(await tokenOf("mirrored"))[1]?.found}`, /^set; 127\.0\.0\.1:\d+ has no way to check it \(404\)$/);
  const wrong = await tokenOf("hf_wrongwrongwrong");
  assert.equal(wrong[1]?.is, "problem");
  assert.doesNotMatch(JSON.stringify(wrong), /wrongwrong/);
});

test("the hub is reached through the proxy of the shell, as downloads are", async (t) => {
  const asked: string[] = [];
  // A plain request names the whole address; one for a tunnel only host and port.
  const proxy = createServer(({ url = "" }, response) => {
    asked.push(new URL(url).host);
    response.writeHead(200).end();
  });
  proxy.on("connect", ({ url = "" }, socket) => {
    asked.push(url.replace(/:80$/, ""));
    socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
    socket.on("data", () => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n")).on("error", () => {});
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  t.after(() => proxy.close());
  const HTTP_PROXY = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const findings = await checkOutside(
    { HF_ENDPOINT: "http://hub.company.internal", HF_TOKEN: "right", HTTP_PROXY },
    {},
  );
  assert.deepEqual(
    findings.map(({ is, found }) => `${is} ${found}`),
    ["ok responds (200)", "ok valid"],
  );
  assert.deepEqual(new Set(asked), new Set(["hub.company.internal"]));
  const [unread] = await checkOutside({ SSL_CERT_FILE: "/nowhere.pem" }, {});
  assert.equal(`${unread?.is} ${unread?.found}`, "problem /nowhere.pem: cannot read the certificates");
});

test("without a cluster each line says what to do, and the exit code is 1", async (t) => {
  const home = temporaryHome();
  t.after(() => home.remove());
  const run = trivium(["doctor", "--no-outside", "--home", home.path, "--kubeconfig", `${home.path}/none`]);
  assert.equal(await run.ended, 1);
  assert.match(run.output(), /^warning +control plane +does not run on this machine; start it with trivium up -d/m);
  assert.match(
    run.output(),
    /^problem +kubeconfig +\S/m,
    "a kubeconfig that the caller names is reported as a problem",
  );
  assert.match(run.output(), /^\w+ +disk +\S+ free in /m);
  assert.match(run.output(), /\n\n(1 problem|2 problems), (1 warning|\d warnings)\n$/);
});

test("a machine without a control plane and without a cluster has one fault, not two", async (t) => {
  const home = temporaryHome();
  t.after(() => home.remove());
  const alone = { HOME: home.path, TRIVIUM_HOME: home.path, KUBECONFIG: "" };
  const run = trivium(["doctor", "--no-outside"], alone);
  assert.equal(await run.ended, 1);
  assert.match(run.output(), /^problem +control plane +does not run on this machine; start it with trivium up -d$/m);
  assert.deepEqual(run.output().match(/trivium up -d/g), ["trivium up -d"]);
  assert.match(run.output(), /\n\n1 problem, 0 warnings\n$/);
});
