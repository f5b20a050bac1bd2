import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { KubeClient, Transport } from "@trivium/kube";
import {
  annotateImages,
  ClaimBinder,
  type ContainerEngine,
  createSandboxSetup,
  ensureLocalClass,
  findContainerEngine,
  folderProvisioner,
  type HostRoot,
  type InstalledBuild,
  type LogBook,
  localProvisioner,
  NodeAgent,
  observeMachine,
  pressureOf,
  processSandbox,
  type Sandbox,
  ServiceProxy,
  tokensOver,
} from "@trivium/node";
import { Refusal } from "@trivium/std";
import type { Configuration } from "../configuration.ts";
import type { Home } from "../home.ts";
import type { Log } from "../log.ts";
import type { Programs } from "../programs.ts";

/** Where the node of a home writes down what runs. */
export const nodeFolder = (home: string): string => join(home, "node");

export interface NodeParts {
  readonly home: Home;
  readonly client: KubeClient;
  readonly transport: Transport;
  readonly logs: LogBook;
  readonly log: Log;
  readonly programs: Programs & { readonly engineBuilds: () => readonly InstalledBuild[] };
  readonly configuration: Configuration;
  readonly containers: "podman" | "docker" | undefined;
  readonly gpuShares: number | undefined;
  readonly folders: readonly HostRoot[];
  /** Where models of nodes are. */
  readonly modelRoots: readonly HostRoot[];
  /** Where processes find the API. */
  readonly apiServer: { readonly host: string; readonly port: number };
  /** Stops the start. */
  readonly signal: AbortSignal;
}

/** So long processes have to end when the program is stopped. */
const grace = 5_000;

/** Every Service of a home has an address that this machine answers at, whichever block it came from: homes of before have 127.96. */
const serviceNetwork = "127.";

/** This machine as a node of the cluster: pods run as processes. */
export interface LocalNode {
  readonly name: string;
  readonly sandbox: Sandbox;
  /** Ends what runs; the pods stay in the API and are started again by the next node. */
  stop(): Promise<void>;
}

/** A start that fails or is stopped ends what it has started, pods included. */
export async function startNode(parts: NodeParts): Promise<LocalNode> {
  const { home, client, transport, logs, log, programs, configuration, folders, modelRoots, apiServer, signal } = parts;
  await using started = new AsyncDisposableStack();
  const root = nodeFolder(home.path);
  const claimsRoot = join(home.path, "volumes");
  for (const folder of [root, claimsRoot]) mkdirSync(folder, { recursive: true, mode: 0o700 });
  const onError = (what: string, error: unknown): void => log.fault(what, error);
  const shared = parts.gpuShares === undefined ? {} : { gpuShares: parts.gpuShares };
  const containers = parts.containers === undefined ? undefined : await engineOf(parts.containers);
  const machine = await observeMachine({ root, onError, searchPath: process.env.PATH ?? "", ...shared });
  const profile = { ...machine, annotations: annotateImages(configuration.images, containers !== undefined) };
  const setups = await createSandboxSetup({
    root,
    client,
    node: profile,
    tokens: tokensOver(transport, Date.now),
    images: configuration.images,
    programs,
    ...(containers === undefined ? {} : { containers }),
    // A root of models comes before a folder of the same name, as it does for the agent that fetches them.
    hostRoots: [...modelRoots, ...folders, { path: claimsRoot }],
    claimsRoot,
    apiServer,
    searchPath: process.env.PATH ?? "",
    libraryPath: process.env.LD_LIBRARY_PATH,
    onError,
  });
  const sandbox = await processSandbox({ root, setups, onError });
  // A person who stops the program wants the machine back.
  started.defer(() => sandbox.rest?.(grace));
  started.defer(() => setups.stop());
  await ensureLocalClass(client);
  const storage = folderProvisioner({ client, root: claimsRoot, node: profile.name });
  const claims = new ClaimBinder({ client, provisioner: localProvisioner, storage, onError });
  started.defer(() => claims.stop());
  await claims.start();
  signal.throwIfAborted();
  const agent = new NodeAgent({ profile, client, sandbox, logs, claims, pressure: pressureOf({ root }), onError });
  started.defer(() => agent.stop());
  await agent.start();
  signal.throwIfAborted();
  // What ended with the program that ran before is known before anybody reads of it.
  await agent.flush();
  const proxy = setups.mode === "shared" ? undefined : new ServiceProxy({ client, network: serviceNetwork, onError });
  started.defer(() => proxy?.stop());
  await proxy?.start();
  const running = started.move();
  return { name: profile.name, sandbox, stop: () => running.disposeAsync() };
}

async function engineOf(wanted: "podman" | "docker"): Promise<ContainerEngine> {
  const found = await findContainerEngine(process.env.PATH ?? "", wanted);
  if (typeof found === "string") throw new Refusal(`--containers ${wanted}: ${found}`);
  return found;
}
