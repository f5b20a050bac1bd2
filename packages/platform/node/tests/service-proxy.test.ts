import assert from "node:assert/strict";
import { connect, createServer, type Server } from "node:net";
import { text } from "node:stream/consumers";
import { after, before, test } from "node:test";
import { type Api, builtInResources, createApi, openMemoryStore } from "@trivium/apiserver";
import { createClient } from "@trivium/client";
import { EndpointSlice, type KubeClient, Service } from "@trivium/kube";
import { until } from "@trivium/testkit";
import { ServiceProxy } from "../src/index.ts";

/** A network of its own, so that no other test and no running node answers there. */
const network = "127.93";
const port = 18_080;

let api: Api;
let client: KubeClient;
let proxy: ServiceProxy;
let address = "";
const servers: Server[] = [];
const failures: string[] = [];

before(async () => {
  const resources = builtInResources({ loopbackEndpoints: "allowed" });
  api = createApi({ store: openMemoryStore(), resources, serviceNetwork: `${network}.0.0/16` });
  await api.ready;
  client = createClient(api.transport({ user: "test", groups: ["system:masters"] }));
  proxy = new ServiceProxy({
    client,
    network: `${network}.`,
    onError: (what, error) => failures.push(`${what}: ${error}`),
  });
  await proxy.start();
  const service = await client.create(Service, {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "echo", namespace: "default" },
    spec: { selector: { app: "echo" }, ports: [{ name: "http", port }] },
  });
  address = service.spec?.clusterIP ?? "";
});

after(async () => {
  await proxy.stop();
  for (const server of servers) server.close();
  await api.close();
  assert.deepEqual(failures, []);
});

/** A server that says its name and hangs up. */
async function startNamed(name: string): Promise<number> {
  const server = createServer((socket) => socket.end(name));
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as { port: number }).port;
}

async function announce(...ports: { port: number; ready?: boolean }[]): Promise<void> {
  const slices = ports.map(
    ({ port: number, ready = true }, i): EndpointSlice => ({
      apiVersion: "discovery.k8s.io/v1",
      kind: "EndpointSlice",
      metadata: { name: `echo-${i}`, namespace: "default", labels: { "kubernetes.io/service-name": "echo" } },
      addressType: "IPv4",
      ports: [{ name: "http", port: number }],
      endpoints: [{ addresses: ["127.0.0.1"], conditions: { ready } }],
    }),
  );
  for (const slice of slices) await client.apply(EndpointSlice, slice, { fieldManager: "test", force: true });
}

const call = async (): Promise<string> => {
  const socket = connect(port, address);
  return text(socket).catch((error: NodeJS.ErrnoException) => `refused: ${error.code}`);
};

test("connections go round among the ready pods of a Service", async () => {
  await until(async () => (await call()) === "refused: ECONNRESET");
  await announce({ port: await startNamed("a") }, { port: await startNamed("b") });
  await until(async () => new Set([await call(), await call()]).size === 2);
  assert.deepEqual(new Set([await call(), await call()]), new Set(["a", "b"]));
});

test("a pod that is gone is passed over, one that is not ready is not asked", async () => {
  const [gone, shy, well] = [await startNamed("gone"), await startNamed("shy"), await startNamed("well")];
  servers.at(-3)?.close();
  await announce({ port: gone }, { port: shy, ready: false });
  await announce({ port: gone }, { port: well });
  await until(async () => (await call()) === "well");
  for (let i = 0; i < 4; i += 1) assert.equal(await call(), "well");
});

test("where the Service was, nobody answers any more", async () => {
  await client.delete(Service, { namespace: "default", name: "echo" });
  await until(async () => (await call()) === "refused: ECONNREFUSED");
  assert.equal(proxy.size, 0);
});
