// The gateway on a small cluster in memory, in a process of its own; its one Service is the model server at the port given.
import { builtInResources, createApi, openMemoryStore } from "@trivium/apiserver";
import { createClient } from "@trivium/client";
import { startGateway } from "@trivium/gateway";
import { EndpointSlice, Namespace, Service } from "@trivium/kube";

const port = Number(process.argv[2]);
const api = createApi({ store: openMemoryStore(), resources: builtInResources({ loopbackEndpoints: "allowed" }) });
await api.ready;
const client = createClient(api.transport({ user: "bench", groups: ["system:masters"] }));
const metadata = { name: "demo", namespace: "default" };
await client.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name: "default" } }).catch(() => {});
await client.create(Service, {
  apiVersion: "v1",
  kind: "Service",
  metadata,
  spec: { selector: { app: "demo" }, ports: [{ name: "http", port: 80 }] },
});
await client.create(EndpointSlice, {
  apiVersion: "discovery.k8s.io/v1",
  kind: "EndpointSlice",
  metadata: { ...metadata, labels: { "kubernetes.io/service-name": "demo" } },
  addressType: "IPv4",
  endpoints: [{ addresses: ["127.0.0.1"], conditions: { ready: true } }],
  ports: [{ name: "http", port, protocol: "TCP" }],
});
const gateway = await startGateway({ client, port: 0 });
console.log(new URL(gateway.url).port);
