import { mkdirSync } from "node:fs";
import { join, posix } from "node:path";
import { ApiError, isReason, type KubeClient, Namespace, Secret } from "@trivium/kube";
import { HoldingsAgent, type HostRoot, hostFolder } from "@trivium/node";
import { modelHoldings, type OmeOptions } from "@trivium/ome";
import { systemClock } from "@trivium/runtime";
import { ArtifactKeeper, type KeeperEvent, type KeeperOptions, Store, WeightsError } from "@trivium/weights";
import type { Home } from "./home.ts";
import type { Log } from "./log.ts";

export interface ModelAgentParts {
  readonly client: KubeClient;
  readonly node: string;
  readonly options: OmeOptions;
  /** Where models are brought to. */
  readonly root: HostRoot;
  /** Where each blob is once; on the disk of the root, so that it is there once indeed. */
  readonly store: string;
  /** Bytes that all blobs together may take. */
  readonly diskLimit?: number | undefined;
  /** Models that are worked at together. */
  readonly lanes?: number | undefined;
  /** Folders that models may be found in, beside the one that they are brought to. */
  readonly folders: readonly HostRoot[];
  onEvent?(event: KeeperEvent): void;
  onTrouble(what: string, error: unknown): void;
}

/** Two hundred models that come in a row are not told of in two hundred writes. */
const pause = 200;

export interface ModelAgent {
  /** What keeps it from its work. */
  findObstacle(): string | undefined;
  stop(): Promise<void>;
}

/** The folder that nodes keep models in stands for one of our own. */
export const modelsRootOf = (home: Home, { modelsRoot }: OmeOptions): HostRoot => ({
  path: modelsRoot,
  realPath: join(home.path, "models"),
});

export interface LocalModelParts extends Pick<ModelAgentParts, "client" | "node" | "options" | "folders"> {
  readonly home: Home;
  readonly log: Log;
}

/** Holds on this machine the models that objects want here. */
export async function startModelAgent(parts: LocalModelParts): Promise<ModelAgent> {
  const { home, client, log, options } = parts;
  const root = modelsRootOf(home, options);
  const store = join(home.path, "weights");
  for (const folder of [root.realPath ?? root.path, store]) mkdirSync(folder, { recursive: true, mode: 0o700 });
  await ensureNamespace(client, options.namespace);
  return holdModels({ ...parts, root, store, onTrouble: log.fault });
}

/** Follows the objects that want models on this node and holds them; the same on a laptop and in a cluster. */
export function holdModels(parts: ModelAgentParts): ModelAgent {
  const { client, node, options, onTrouble } = parts;
  const agent = new HoldingsAgent({
    client,
    node,
    api: modelHoldings(options),
    pause,
    onTrouble,
    keeperOf: (reports) => new ArtifactKeeper({ ...keeperOptions(parts), ...reports }),
  });
  agent.start();
  return agent;
}

function keeperOptions(parts: ModelAgentParts): Omit<KeeperOptions, "onReport" | "onGone"> {
  const { client, root, folders, store, diskLimit, lanes, onEvent, onTrouble } = parts;
  return {
    store: new Store(store, diskLimit === undefined ? {} : { quotaBytes: diskLimit }),
    ledger: join(store, "holdings.json"),
    environment: process.env,
    folderOf: (path, use) => folderOf(path, { roots: use === "filled" ? [root] : [root, ...folders], store }),
    secretsOf: (secret) => secretValues(client, secret),
    ...(lanes === undefined ? {} : { lanes }),
    ...(onEvent === undefined ? {} : { onEvent }),
    onTrouble,
    now: systemClock.now,
    schedule: systemClock.schedule,
  };
}

/** Models are brought to the root alone, each to a folder of its own in it: folders of the user's are read and nothing else. */
async function folderOf(
  path: string,
  { roots, store }: { readonly roots: readonly HostRoot[]; readonly store: string },
): Promise<string> {
  const [root] = roots;
  const refused = (why: string): WeightsError => new WeightsError("refused", "OutsideRoots", why);
  if (posix.normalize(path).replace(/\/+$/, "") === root?.path)
    throw refused(`${path} holds all models; name a folder in it`);
  try {
    const folder = await hostFolder({ path }, roots);
    if (!`${folder}/`.startsWith(`${store}/`)) return folder;
  } catch (error) {
    throw refused(error instanceof Error ? error.message : String(error));
  }
  throw refused(`${path} is where the node agent keeps its own files; name another folder`);
}

async function secretValues(
  client: KubeClient,
  { namespace, name, entries }: Parameters<KeeperOptions["secretsOf"]>[0],
): Promise<Record<string, string>> {
  const data = await secretData(client, { namespace, name });
  const values: Record<string, string> = {};
  for (const { key, variable, need } of entries) {
    const value = data?.[key];
    if (value !== undefined) values[variable] = Buffer.from(value, "base64").toString("utf8").trim();
    else if (need === "must") throw denied(`Secret ${name} of namespace ${namespace} has no entry ${key}; create it`);
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
    const advice = "bind ClusterRole trivium-node-agent-secrets there to its service account";
    throw denied(`Secret ${ref.name} of namespace ${ref.namespace} may not be read by the node agent; ${advice}`);
  }
}

function asFault(error: unknown, { namespace, name }: { readonly namespace: string; readonly name: string }): unknown {
  if (!(error instanceof ApiError)) return error;
  const message = `Secret ${name} of namespace ${namespace} cannot be read: ${error.message}`;
  return new WeightsError("unreachable", "Unreachable", message);
}

async function ensureNamespace(client: KubeClient, name: string): Promise<void> {
  const namespace: Namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name } };
  await client.create(Namespace, namespace).catch((error: unknown) => {
    if (!isReason(error, "AlreadyExists")) throw error;
  });
}
