import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, createServer } from "node:net";
import { text } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import { builtInResources, createApi, openMemoryStore, type Store } from "@trivium/apiserver";
import { createClient } from "@trivium/client";
import { EndpointSlice, Event, type KubeClient, Service } from "@trivium/kube";
import { FakeClock, until } from "@trivium/testkit";
import { ServiceProxy, serviceNetworkOf } from "../src/index.ts";

type Network = ReturnType<typeof serviceNetworkOf>;

/** Free everywhere, and so at the addresses of Services too. */
const port = await (async () => {
  const probe = createServer().listen(0);
  await once(probe, "listening");
  const { port: free } = probe.address() as { port: number };
  probe.close();
  return free;
})();

/** What one home has of a control plane, as far as Services go. */
async function startPlane(t: TestContext, network: Network, store: Store = openMemoryStore()) {
  const resources = builtInResources({ loopbackEndpoints: "allowed" });
  const api = createApi({ store, resources, serviceNetwork: network });
  await api.ready;
  const client = createClient(api.transport({ user: "test", groups: ["system:masters"] }));
  const clock = new FakeClock();
  const failures: string[] = [];
  const proxy = new ServiceProxy({ client, clock, network: "127.", onError: (what) => failures.push(what) });
  await proxy.start();
  t.after(async () => {
    await proxy.stop();
    await api.close();
  });
  return { client, clock, failures };
}

/** A server that says its name and hangs up. */
async function startNamed(t: TestContext, name: string, place: { port: number; host: string }): Promise<number> {
  const server = createServer((socket) => socket.end(name)).listen(place);
  t.after(() => server.close());
  await once(server, "listening");
  return (server.address() as { port: number }).port;
}

/** A Service with one pod that says its name. */
async function addEcho(t: TestContext, client: KubeClient, name: string, clusterIP?: string): Promise<string> {
  const target = await startNamed(t, name, { port: 0, host: "127.0.0.1" });
  await client.create(EndpointSlice, {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: { name: "echo-1", namespace: "default", labels: { "kubernetes.io/service-name": "echo" } },
    addressType: "IPv4",
    ports: [{ name: "http", port: target }],
    endpoints: [{ addresses: ["127.0.0.1"], conditions: { ready: true } }],
  });
  return addService(client, "echo", clusterIP);
}

async function addService(client: KubeClient, name: string, clusterIP?: string): Promise<string> {
  const spec = { ports: [{ name: "http", port }], ...(clusterIP === undefined ? {} : { clusterIP }) };
  const service = await client.create(Service, {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name, namespace: "default" },
    spec,
  });
  return service.spec?.clusterIP ?? "";
}

const call = async (address: string): Promise<string> =>
  text(connect(port, address)).catch((error: NodeJS.ErrnoException) => `refused: ${error.code}`);

const isShared = process.platform === "darwin" && "skipped: this machine has one loopback address";

test("homes have blocks of their own, apart from those of pods and of earlier homes", () => {
  const homes = Array.from({ length: 1_000 }, (_, i) => `/home/somebody/${i}`);
  const networks = homes.map(serviceNetworkOf);
  for (const network of networks) {
    const [, second, third] = /^127\.(\d+)\.(\d+)\.0\/20$/.exec(network) ?? [];
    assert.ok(Number(second) >= 128 && Number(second) <= 255 && Number(third) % 16 === 0, network);
  }
  assert.ok(new Set(networks).size > 700, `${new Set(networks).size} different ones`);
  assert.deepEqual(homes.map(serviceNetworkOf), networks);
});

test("the same Service in two control planes of one machine leads to the pods of each", {
  skip: isShared,
}, async (t) => {
  const [a, b] = [
    await startPlane(t, serviceNetworkOf("/tmp/one/.trivium")),
    await startPlane(t, serviceNetworkOf("/tmp/two/.trivium")),
  ];
  const [first, second] = [await addEcho(t, a.client, "pod of a"), await addEcho(t, b.client, "pod of b")];
  assert.notEqual(first, second);
  await until(async () => (await call(first)) === "pod of a");
  await until(async () => (await call(second)) === "pod of b");
  assert.deepEqual([a.failures, b.failures], [[], []]);
});

test("a Service of a home that had another block keeps its address and can be changed", {
  skip: isShared,
}, async (t) => {
  const store = openMemoryStore();
  const before = createApi({ store, resources: builtInResources({}), serviceNetwork: "127.94.0.0/16" });
  await before.ready;
  const old = createClient(before.transport({ user: "test", groups: ["system:masters"] }));
  const address = await addService(old, "echo");
  assert.equal(address, "127.94.0.2");
  await before.close();

  const { client } = await startPlane(t, "127.95.16.0/20", store);
  await until(async () => (await call(address)) === "refused: ECONNRESET");
  const there = await client.get(Service, { namespace: "default", name: "echo" });
  const changed = await client.replace(Service, { ...there, metadata: { ...there.metadata, labels: { a: "b" } } });
  assert.equal(changed.spec?.clusterIP, address);
  const manifest = { apiVersion: "v1", kind: "Service", metadata: { name: "echo", namespace: "default" } } as const;
  const spec = { clusterIP: address, ports: [{ name: "http", port }] };
  const applied = await client.apply(Service, { ...manifest, spec }, { fieldManager: "test", force: true });
  assert.equal(applied.spec?.clusterIP, address);
  assert.equal(await addService(client, "new"), "127.95.16.2");
});

test("an address that somebody else has is told on the Service, and taken when it is free", {
  skip: isShared,
}, async (t) => {
  const address = "127.92.0.7";
  const other = createServer((socket) => socket.end("somebody else")).listen(port, address);
  t.after(() => other.close());
  await once(other, "listening");
  const { client, clock, failures } = await startPlane(t, "127.92.0.0/16");
  await addEcho(t, client, "pod", address);
  const warnings = async () => (await client.list(Event, { namespace: "default" })).items;
  await until(async () => (await warnings()).length > 0);
  const [warning] = await warnings();
  assert.deepEqual(
    [warning?.type, warning?.reason, warning?.involvedObject.kind, warning?.involvedObject.name],
    ["Warning", "AddressInUse", "Service", "echo"],
  );
  assert.match(
    warning?.message ?? "",
    new RegExp(`^Another program on this machine listens on ${address}:${port} .*ss -ltnp`),
  );
  await clock.advance(1_000);
  await until(async () => (await warnings())[0]?.count === 2);
  assert.deepEqual(failures, [`cannot listen on ${address}:${port} for Service default/echo`]);

  other.close();
  await once(other, "close");
  await clock.advance(2_000);
  await until(async () => (await call(address)) === "pod");
  assert.equal((await warnings()).length, 1);
});
