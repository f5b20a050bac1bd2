// An agent of a node that holds 200 models: its memory, as somebody outside sees it, and how much it writes.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
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
import { ConfigMap, CustomResourceDefinition, emitCrd, type KubeClient, Namespace, Node } from "@trivium/kube";
import { BaseModel, ClusterBaseModel, FineTunedWeight } from "@trivium/ome";
import { HubServer } from "@trivium/testkit";
import { ensureBuilt } from "../scripts/toolchain.mjs";
import { inParallel } from "./llmkube/in-parallel.ts";
import { memoryOf } from "./support/measured-server.ts";
import { megabytes, printTable, seconds } from "./support/table.ts";

const models = 200;
const bytesOfModel = 1024 * 1024;
const home = mkdtempSync(join(tmpdir(), "trivium-agent-bench-"));
const root = join(home, "models");
const hub = await startHub();
const identity = await loadOrCreateIdentity(join(home, "identity"));
const api = createApi({ store: openMemoryStore(), resources: builtInResources(), rootCertificate: identity.authority });
await api.ready;
const server = await serveHttps(api, { identity, port: 0, report: console.error });
const kubeconfig = join(home, "kubeconfig");
const credential = { is: "certificate", pair: identity.admin } as const;
await writeKubeconfig(kubeconfig, { server: server.url, authority: identity.authority, credential });
const client = createClient(api.transport({ user: "bench", groups: ["system:masters"] }));
await prepare(client);

const fresh = startAgent();
const empty = await rested(fresh);
const began = performance.now();
await inParallel(Array.from({ length: models }, (_, at) => () => client.create(ClusterBaseModel, modelOf(at))));
await untilReady();
const took = performance.now() - began;
const most = maxMemoryOf(fresh.pid);
const afterwards = await rested(fresh);
await fresh.end();

// One that comes after finds everything whole and asks nobody.
const { served } = hub;
const second = startAgent();
const restarted = performance.now();
await untilVerified(second);
const verified = performance.now() - restarted;
const resting = await rested(second);
const maxPerSecond = maxMemoryOf(second.pid);
await second.end();
await server.close();
await api.close();
await hub.close();
rmSync(home, { recursive: true, force: true });

printTable([
  [`${models} models of ${megabytes(bytesOfModel)}, two at a time`, "", "aim"],
  ["memory before the first model", megabytes(empty), ""],
  ["… a moment after the last one", megabytes(afterwards), "at most 120 MB"],
  ["… of an agent started anew that holds them", megabytes(resting), "at most 120 MB"],
  ["… the most it ever had: fetching, holding", `${megabytes(most)}, ${megabytes(maxPerSecond)}`, ""],
  ["until all were fetched and told of", seconds(took), ""],
  ["until all were seen to be whole after a restart", seconds(verified), ""],
  ["bytes fetched again after the restart", String(hub.served - served), "0"],
]);

async function startHub(): Promise<HubServer> {
  const started = await new HubServer().listen();
  for (let at = 0; at < models; at++)
    started.files.set(`model-${at}.safetensors`, { content: weightsOf(at), isLarge: true });
  return started;
}

/** A header that can be read, and bytes that no other model has. */
function weightsOf(at: number): Buffer {
  const tensor = { dtype: "U8", shape: [bytesOfModel], data_offsets: [0, bytesOfModel] };
  const header = Buffer.from(JSON.stringify({ __metadata__: { at: String(at) }, weight: tensor }));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(header.length));
  return Buffer.concat([length, header, Buffer.alloc(bytesOfModel, at)]);
}

function modelOf(at: number): ClusterBaseModel {
  return {
    apiVersion: "ome.io/v1beta1",
    kind: "ClusterBaseModel",
    // No operator runs here that would permit the download.
    metadata: { name: `model-${at}`, annotations: { "trivium.dev/fit-check": "off" } },
    spec: { storage: { storageUri: `hf://org/repo/model-${at}.safetensors`, path: join(root, `model-${at}`) } },
  };
}

async function prepare(to: KubeClient): Promise<void> {
  for (const kind of [BaseModel, ClusterBaseModel, FineTunedWeight])
    await to.apply(CustomResourceDefinition, emitCrd(kind), { fieldManager: "bench", force: true });
  await to.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name: "ome" } });
  await to.create(Node, { apiVersion: "v1", kind: "Node", metadata: { name: "bench" } });
}

function startAgent() {
  ensureBuilt();
  const program = join(import.meta.dirname, "../dist/trivium.mjs");
  const words = ["node-agent", "--kubeconfig", kubeconfig, "--node-name", "bench", "--models-root", root];
  const child = spawn(process.execPath, [program, ...words, "--health-port", "0", "--log-level", "warn"], {
    stdio: ["ignore", "inherit", "inherit"],
    env: { ...process.env, HF_ENDPOINT: hub.endpoint, HOME: home },
  });
  const ended = once(child, "exit");
  process.once("exit", () => child.kill("SIGKILL"));
  const end = async (): Promise<void> => {
    child.kill("SIGTERM");
    await ended;
  };
  return { pid: child.pid ?? 0, end };
}

async function rested({ pid }: { readonly pid: number }): Promise<number> {
  await sleep(3_000);
  return memoryOf(pid);
}

function maxMemoryOf(pid: number): number {
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) * 1024;
}

async function untilReady(): Promise<void> {
  for (;;) {
    const report = await client.get(ConfigMap, { namespace: "ome", name: "bench" }).catch(() => undefined);
    const entries = Object.values(report?.data ?? {}).filter((entry) => entry.includes('"status":"Ready"'));
    if (entries.length === models) return;
    await sleep(20);
  }
}

/** What was said before stands until it was looked at, so this is seen from how the process works. */
async function untilVerified({ pid }: { readonly pid: number }): Promise<void> {
  const cpu = (): number => {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
    return Number(fields[11]) + Number(fields[12]);
  };
  for (let before = -1; ; ) {
    const now = cpu();
    if (now === before && now > 20) return;
    before = now;
    await sleep(500);
  }
}
