import assert from "node:assert/strict";
import { test } from "node:test";
import type { ApiResponse } from "@trivium/kube";
import { builtInResources } from "../../src/built-in/index.ts";
import type { UsagePort } from "../../src/metrics/usage-port.ts";
import { createApi } from "../../src/server.ts";
import { openMemoryStore } from "../../src/store/index.ts";

const measured = { at: Date.UTC(2030, 0, 1), window: 2_000, milliProcessors: 12.5, memoryBytes: 3 << 20 };
const usage: UsagePort = async () => ({
  containers: [
    { namespace: "default", pod: "web", container: "c", ...measured },
    { namespace: "default", pod: "gone", container: "c", ...measured },
  ],
  nodes: [{ node: "here", ...measured }],
});

async function served(port: UsagePort | undefined) {
  const api = createApi({ store: openMemoryStore(), resources: builtInResources(), usage: port });
  await api.ready;
  const transport = api.transport({ user: "admin", groups: ["system:masters"] });
  const call = (method: "GET" | "POST", path: string, body?: object): Promise<ApiResponse> =>
    transport({
      method,
      path,
      headers: { "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const pod = { metadata: { name: "web", labels: { app: "web" } }, spec: { containers: [{ name: "c", image: "i" }] } };
  await call("POST", "/api/v1/namespaces/default/pods", { apiVersion: "v1", kind: "Pod", ...pod });
  await call("POST", "/api/v1/nodes", { apiVersion: "v1", kind: "Node", metadata: { name: "here" } });
  const read = async (path: string) => {
    const { status, body } = await call("GET", `/apis/metrics.k8s.io/v1beta1${path}`);
    return { status, body: JSON.parse(body as string) };
  };
  return { api, read, call };
}

const head = { timestamp: "2030-01-01T00:00:00Z", window: "2s" };
const amounts = { cpu: "12500000n", memory: "3072Ki" };

test("pods and nodes have metrics, selected by the labels of the pods", async () => {
  const { api, read, call } = await served(usage);
  const web = {
    metadata: {
      name: "web",
      namespace: "default",
      creationTimestamp: "2030-01-01T00:00:00Z",
      labels: { app: "web" },
    },
    ...head,
    containers: [{ name: "c", usage: amounts }],
  };
  const { resources } = (await read("")).body;
  const named = resources.map(({ name, singularName, kind }: Record<string, string>) => [name, singularName, kind]);
  assert.deepEqual(named, [
    ["nodes", "", "NodeMetrics"],
    ["pods", "", "PodMetrics"],
  ]);
  assert.deepEqual((await read("/namespaces/default/pods")).body.items, [web]);
  assert.deepEqual((await read("/pods?labelSelector=app%3Dweb")).body.items, [web]);
  assert.deepEqual((await read("/pods?labelSelector=app%3Dother")).body.items, []);
  assert.deepEqual((await read("/namespaces/other/pods")).body.items, []);
  assert.equal((await read("/namespaces/default/pods/web")).body.kind, "PodMetrics");
  assert.equal((await read("/namespaces/default/pods/gone")).status, 404);
  const [node] = (await read("/nodes")).body.items;
  assert.deepEqual([node.metadata.name, node.usage], ["here", amounts]);
  assert.equal((await call("POST", "/apis/metrics.k8s.io/v1beta1/nodes", {})).status, 405);
  await api.close();
});

test("without a node there is no metrics API", async () => {
  const { api, call } = await served(undefined);
  const groups = JSON.parse((await call("GET", "/apis")).body as string).groups.map(
    ({ name }: { name: string }) => name,
  );
  assert.ok(!groups.includes("metrics.k8s.io"));
  await api.close();
});
