import assert from "node:assert/strict";
import { test } from "node:test";
import { startApi } from "./harness.ts";

const services = "/api/v1/namespaces/default/services";
const service = (name: string, spec: object = {}) => ({ metadata: { name }, spec: { ports: [{ port: 80 }], ...spec } });

test("every Service gets an address of its own, and an address is free again when its Service went", async () => {
  const { post, remove } = await startApi();
  const tricky = {
    ...service("tricky"),
    metadata: { name: "tricky", annotations: { note: '"clusterIPs":["10.96.9.9"]' } },
  };
  const made = [await post(services, service("a")), await post(services, service("b")), await post(services, tricky)];
  const addresses = made.map(({ json }) => json.spec.clusterIP as string);
  assert.equal(new Set(addresses).size, 3);
  for (const address of addresses) assert.match(address, /^10\.96\.\d+\.\d+$/);
  assert.equal((await post(services, service("free", { clusterIP: "10.96.9.9" }))).status, 201);
  const taken = await post(services, service("c", { clusterIP: addresses[0] }));
  assert.equal(taken.status, 422);
  assert.match(taken.failure.message ?? "", /provided IP is already allocated/);
  const foreign = await post(services, service("c", { clusterIP: "192.168.0.1" }));
  assert.equal(foreign.status, 422);
  await remove(`${services}/a`);
  assert.equal((await post(services, service("c", { clusterIP: addresses[0] }))).status, 201);
  assert.equal((await post(services, service("headless", { clusterIP: "None" }))).json.spec.clusterIP, "None");
});

test("node ports are unique and within their range", async () => {
  const { post } = await startApi();
  const ports = [];
  for (const name of ["a", "b"])
    ports.push((await post(services, service(name, { type: "NodePort" }))).json.spec.ports[0].nodePort);
  assert.notEqual(ports[0], ports[1]);
  const wanted = (nodePort: number) => service("c", { type: "NodePort", ports: [{ port: 80, nodePort }] });
  assert.match((await post(services, wanted(ports[0]))).failure.message ?? "", /provided port is already allocated/);
  assert.match((await post(services, wanted(80))).failure.message ?? "", /not in the valid range/);
  assert.equal((await post(services, wanted(31000))).json.spec.ports[0].nodePort, 31000);
});

test("a port that is chosen is not one that the same Service requests", async () => {
  const { post } = await startApi();
  const first = (await post(services, service("a", { type: "NodePort" }))).json.spec.ports[0].nodePort as number;
  const ports = [
    { name: "chosen", port: 80 },
    { name: "requested", port: 81, nodePort: first + 1 },
  ];
  const { status, json } = await post(services, service("b", { type: "NodePort", ports }));
  assert.equal(status, 201, JSON.stringify(json));
  assert.equal(json.spec.ports[1].nodePort, first + 1);
  assert.equal(new Set(json.spec.ports.map((port: { nodePort: number }) => port.nodePort)).size, 2);
});
