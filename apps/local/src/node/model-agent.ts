import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { ApiError, isReason, type KubeClient, Namespace, Secret } from "@trivium/kube";
import { type HostRoot, ModelStoreAgent } from "@trivium/node";
import { modelStoreOf, type OmeOptions, omeDefaults } from "@trivium/ome";
import { systemClock } from "@trivium/runtime";
import {
  type AddressRule,
  type ArtifactEvent,
  ArtifactManager,
  type ArtifactManagerOptions,
  Store,
  WeightsError,
} from "@trivium/weights";
import { configurationFile } from "../configuration.ts";
import type { Home } from "../home.ts";
import type { Log } from "../log.ts";
import { weightStoreFolders } from "../weight-stores.ts";
import { findModelFolder, type ModelFolders } from "./model-folders.ts";

export interface ModelAgentParts {
  readonly client: KubeClient;
  readonly node: string;
  readonly options: OmeOptions;
  readonly folders: ModelFolders;
  /** Which addresses sources may lead to. */
  readonly addresses: AddressRule;
  /** Where each blob is once; on the disk of the first root, so that it is there once indeed. */
  readonly store: string;
  /** Other stores on the same disk. */
  readonly peers?: () => readonly string[];
  /** Bytes that all blobs together may take. */
  readonly diskLimit?: number | undefined;
  /** Models that are worked at together. */
  readonly lanes?: number | undefined;
  onEvent?(event: ArtifactEvent): void;
  onError(what: string, error: unknown): void;
}

/** Two hundred models that come in a row are not told of in two hundred writes. */
const pause = 200;

export interface ModelAgent {
  /** What keeps it from its work. */
  findObstacle(): string | undefined;
  stop(): Promise<void>;
}

/** The folders that nodes keep models in stand for folders of the home: a laptop has no `/mnt/data` and no `/raid`. */
export function modelRootsOf(home: Home, paths: readonly string[]): HostRoot[] {
  const { modelsRoot: usual } = omeDefaults;
  return [...new Set([...paths, usual])].map((path) => ({
    path,
    realPath: path === usual ? join(home.path, "models") : join(home.path, "model-roots", path),
  }));
}

export interface LocalModelParts extends Pick<ModelAgentParts, "client" | "node" | "options"> {
  readonly home: Home;
  readonly log: Log;
  readonly roots: readonly HostRoot[];
  readonly shared: readonly HostRoot[];
  readonly readable: readonly HostRoot[];
}

/** Holds on this machine the models that objects want here. */
export async function startModelAgent(parts: LocalModelParts): Promise<ModelAgent> {
  const { home, client, log, options, roots, shared, readable } = parts;
  const store = join(home.path, "weights");
  for (const folder of [...roots.map(({ path, realPath }) => realPath ?? path), store])
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  await ensureNamespace(client, options.namespace);
  const remedyOf = (folder: string): string =>
    `start trivium up with --models-root ${folder}, or add the folder to folders in ${configurationFile(home)}`;
  const folders = { roots, shared, readable, remedyOf };
  // A person who applies manifests here can fetch from any address anyway.
  const peers = () => weightStoreFolders(home.path);
  return holdModels({ ...parts, folders, addresses: "any", store, peers, onError: log.fault });
}

/** Follows the objects that want models on this node and holds them; the same on a laptop and in a cluster. */
export function holdModels(parts: ModelAgentParts): ModelAgent {
  const { client, node, options, onError } = parts;
  const agent = new ModelStoreAgent({
    client,
    node,
    api: modelStoreOf(options),
    pause,
    onError,
    managerOf: (reports) => new ArtifactManager({ ...managerOptions(parts), ...reports }),
  });
  agent.start();
  return agent;
}

function managerOptions(parts: ModelAgentParts): Omit<ArtifactManagerOptions, "onReport" | "onGone"> {
  const { client, folders, store: storeFolder, diskLimit, lanes, onEvent, onError } = parts;
  const limit = diskLimit === undefined ? {} : { quotaBytes: diskLimit };
  const store = new Store(storeFolder, { ...limit, ...(parts.peers === undefined ? {} : { peers: parts.peers }) });
  return {
    store,
    records: join(storeFolder, "holdings.json"),
    environment: process.env,
    addresses: parts.addresses,
    folderOf: (path, use) => findModelFolder(path, use, { folders, store, storeFolder }),
    secretsOf: (secret) => secretValues(client, secret),
    ...(lanes === undefined ? {} : { lanes }),
    ...(onEvent === undefined ? {} : { onEvent }),
    onError,
    now: systemClock.now,
    schedule: systemClock.schedule,
  };
}

async function secretValues(
  client: KubeClient,
  { namespace, name, entries }: Parameters<ArtifactManagerOptions["secretsOf"]>[0],
): Promise<Record<string, string>> {
  const data = await secretData(client, { namespace, name });
  const values: Record<string, string> = {};
  for (const { key, variable, need } of entries) {
    const value = data?.[key];
    if (value !== undefined) values[variable] = Buffer.from(value, "base64").toString("utf8").trim();
    else if (need === "must" && data === undefined)
      throw denied(`Secret ${namespace}/${name} with key ${key} not found`);
    else if (need === "must") throw denied(`Secret ${namespace}/${name} has no key ${key}`);
  }
  return values;
}

const denied = (message: string): WeightsError => new WeightsError("not-allowed", "AccessDenied", message);

async function secretData(
  client: KubeClient,
  ref: { readonly namespace: string; readonly name: string },
): Promise<Secret["data"]> {
  try {
    return (await client.get(Secret, ref)).data;
  } catch (error) {
    if (isReason(error, "NotFound")) return undefined;
    if (!isReason(error, "Forbidden")) throw asFault(error, ref);
    const advice = "bind ClusterRole trivium-node-agent-secrets to its service account in that namespace";
    throw denied(`the node agent is not allowed to read Secret ${ref.namespace}/${ref.name}; ${advice}`);
  }
}

function asFault(error: unknown, { namespace, name }: { readonly namespace: string; readonly name: string }): unknown {
  if (!(error instanceof ApiError)) return error;
  const message = `cannot read Secret ${namespace}/${name}: ${error.message}`;
  return new WeightsError("unreachable", "Unreachable", message);
}

async function ensureNamespace(client: KubeClient, name: string): Promise<void> {
  const namespace: Namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name } };
  await client.create(Namespace, namespace).catch((error: unknown) => {
    if (!isReason(error, "AlreadyExists")) throw error;
  });
}
