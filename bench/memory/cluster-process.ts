// The embedded API server with all definitions, over TLS in a process of its own, with the controllers of workloads and without a node:
// every pod waits. Prints the path of the kubeconfig.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import {
  builtInResources,
  createApi,
  loadOrCreateIdentity,
  openMemoryStore,
  serveHttps,
  writeKubeconfig,
} from "@trivium/apiserver";
import { createClient } from "@trivium/client";
import { CustomResourceDefinition, findCondition, type KubeClient, Namespace } from "@trivium/kube";
import { createRuntime } from "@trivium/runtime";
import { workloadReconcilers } from "@trivium/workloads";
import { bareNamespace, namespace } from "../control-plane/fleets.ts";
import { allDefinitions } from "../support/definitions.ts";

const home = mkdtempSync(join(tmpdir(), "trivium-bench-"));
process.once("exit", () => rmSync(home, { recursive: true, force: true }));
process.once("SIGTERM", () => process.exit(0));
const api = createApi({ store: openMemoryStore(), resources: builtInResources() });
await api.ready;
const client = createClient(api.transport({ user: "bench", groups: ["system:masters"] }));
for (const name of ["trivium-system", namespace, bareNamespace, "ome"])
  await client.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name } });
await install(client);
await createRuntime({ client, reconcilers: workloadReconcilers }).start();
const identity = await loadOrCreateIdentity(join(home, "identity"));
const server = await serveHttps(api, { identity });
const credential = { is: "certificate", pair: identity.admin } as const;
await writeKubeconfig(join(home, "kubeconfig"), { server: server.url, authority: identity.authority, credential });
console.log(join(home, "kubeconfig"));

async function install(client: KubeClient): Promise<void> {
  for (const definition of await allDefinitions()) {
    const { metadata } = await client.create(CustomResourceDefinition, definition);
    const isEstablished = async (): Promise<boolean> => {
      const { status } = await client.get(CustomResourceDefinition, { name: metadata.name ?? "" });
      return findCondition(status?.conditions, "Established")?.status === "True";
    };
    while (!(await isEstablished())) await sleep(20);
  }
}
