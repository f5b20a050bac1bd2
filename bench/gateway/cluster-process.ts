// A small cluster in memory, served over TLS in a process of its own; its one Service is the model server at the port given.
// Prints the path of the kubeconfig.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  builtInResources,
  createApi,
  loadOrCreateIdentity,
  openMemoryStore,
  serveHttps,
  writeKubeconfig,
} from "@trivium/apiserver";
import { createClient } from "@trivium/client";
import { EndpointSlice, Namespace, Service } from "@trivium/kube";

const port = Number(process.argv[2]);
const home = mkdtempSync(join(tmpdir(), "trivium-bench-"));
process.once("exit", () => rmSync(home, { recursive: true, force: true }));
process.once("SIGTERM", () => process.exit(0));
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
const identity = await loadOrCreateIdentity(join(home, "identity"));
const server = await serveHttps(api, { identity });
const credential = { is: "certificate", pair: identity.admin } as const;
await writeKubeconfig(join(home, "kubeconfig"), { server: server.url, authority: identity.authority, credential });
console.log(join(home, "kubeconfig"));
