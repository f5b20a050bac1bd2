import { createServer } from "node:http";
import { networkInterfaces } from "node:os";
import type { ArtifactReport, WantedArtifact } from "@trivium/domain";
import { isReason, type KubeClient, type KubeObject, StorageClass } from "@trivium/kube";
import {
  type ArtifactManager,
  ClaimBinder,
  LogBook,
  ModelStoreAgent,
  type ModelStoreApi,
  NodeAgent,
  type Sandbox,
  stagedSandbox,
} from "@trivium/node";
import { modelStoreOf, omeDefaults } from "@trivium/ome";
import { systemClock } from "@trivium/runtime";

const count = 3;
const provisioner = "trivium.dev/staged";
/** Where the engines of LLMKube serve. */
const port = 8080;
/** Enough for everything: what is measured is the operator, not the scheduler. */
const capacity = { cpu: "100000", memory: "1000Ti", pods: "20000", "amd.com/gpu": "20000" };

export interface StagedNodes {
  readonly count: number;
  /** Deletes the node of this number with its pods, and resolves with a function that adds it again. */
  remove(at: number): Promise<() => Promise<void>>;
  stop(): Promise<void>;
}

/**
 * Nodes on which every pod becomes ready within a second. Nothing runs, except one server that answers for all pods at this address of the
 * machine.
 */
export async function startStagedNodes(client: KubeClient, address: string = ownAddress()): Promise<StagedNodes> {
  const server = await serveModels(address);
  const clock = systemClock;
  const claims = new ClaimBinder({ client, clock, provisioner });
  await createClass(client);
  await claims.start();
  const logs = new LogBook(() => clock.now());
  const sandbox = sandboxAt(address);
  const agents = new Map<number, () => Promise<void>>();
  const join = async (at: number): Promise<void> => {
    const labels = { "amd.com/gpu.device-id": "74a1" };
    const profile = { name: `staged-${at}`, address, capacity, labels };
    const agent = new NodeAgent({ profile, client, clock, sandbox, logs, claims, events: "none" });
    await agent.start();
    const holder = holdModels(client, profile.name);
    holder.start();
    agents.set(at, async () => {
      await agent.leave();
      await holder.stop();
    });
  };
  for (let at = 0; at < count; at += 1) await join(at);
  return {
    count,
    async remove(at) {
      const leave = agents.get(at);
      agents.delete(at);
      await leave?.();
      return () => join(at);
    },
    async stop() {
      for (const leave of agents.values()) await leave();
      await claims.stop();
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Endpoints are never on loopback, and pods must be reachable for those who ask what they serve. */
function ownAddress(): string {
  const all = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  const own = all.find(({ family, internal }) => family === "IPv4" && !internal);
  if (own === undefined) throw new Error("staged nodes need an IPv4 address that is not on loopback");
  return own.address;
}

function serveModels(host: string): Promise<ReturnType<typeof createServer>> {
  const server = createServer((_, response) => {
    response.setHeader("content-type", "application/json").end(JSON.stringify({ data: [{ id: "staged" }] }));
  });
  return new Promise((resolve, reject) => {
    server.once("error", (error) => reject(new Error(`staged nodes need ${host}:${port}`, { cause: error })));
    server.listen(port, host, () => resolve(server));
  });
}

function sandboxAt(address: string): Sandbox {
  const staged = stagedSandbox({ clock: systemClock, podCidr: "10.64.0.0/10" });
  return { ...staged, open: async (pod) => ({ ...(await staged.open(pod)), address }) };
}

/** What the node agent of OME reports for models that it has downloaded. */
function holdModels(client: KubeClient, node: string): ModelStoreAgent<KubeObject> {
  const api = modelStoreOf(omeDefaults) as unknown as ModelStoreApi;
  const onError = (): void => undefined;
  return new ModelStoreAgent({ client, node, api, managerOf: ({ onReport }) => holder(onReport), onError });
}

function holder(onReport: (report: ArtifactReport) => void): ArtifactManager {
  const held = new Set<string>();
  return {
    want(all: readonly WantedArtifact[]) {
      for (const { key } of all) if (!held.has(key)) setImmediate(() => onReport({ key, is: "ready" }));
      for (const { key } of all) held.add(key);
    },
    release: ({ key }) => void held.delete(key),
    stop: async () => undefined,
  };
}

async function createClass(client: KubeClient): Promise<void> {
  const annotations = { "storageclass.kubernetes.io/is-default-class": "true" };
  const metadata = { name: "staged", annotations };
  const head = { apiVersion: "storage.k8s.io/v1", kind: "StorageClass" } as const;
  await client
    .create(StorageClass, { ...head, metadata, provisioner, volumeBindingMode: "Immediate" })
    .catch((error: unknown) => {
      if (!isReason(error, "AlreadyExists")) throw error;
    });
}
