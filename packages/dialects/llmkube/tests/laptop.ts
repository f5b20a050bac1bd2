import { mkdirSync, mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { builtInResources, createApi, openMemoryStore } from "@trivium/apiserver";
import { createClient } from "@trivium/client";
import { CustomResourceDefinition, emitCrd, type Kind, type KubeClient, type KubeObject } from "@trivium/kube";
import {
  ClaimBinder,
  createSandboxSetup,
  ensureLocalClass,
  folderProvisioner,
  LogBook,
  localProvisioner,
  NodeAgent,
  observeMachine,
  podLogsOf,
  processSandbox,
  tokensOver,
} from "@trivium/node";
import {
  localFileAnswers,
  modelServerAnswers,
  modelSourceAnswers,
  podLogAnswers,
  servedKindAnswers,
} from "@trivium/probes";
import { type Clock, createRuntime, systemClock } from "@trivium/runtime";
import { ownProgram } from "@trivium/testkit";
import { workloadReconcilers } from "@trivium/workloads";
import { createLlmkube, InferenceService, llmkubeDefaults, Model } from "../src/index.ts";

/** The real thing on this machine: API server, controllers, a node that runs processes, the dialect and its answers. */
export interface Laptop {
  readonly client: KubeClient;
  /** A folder that sources may name. */
  readonly folder: string;
  readonly failures: readonly string[];
  model(name: string, spec: Partial<Model["spec"]> & { source: string }): Promise<void>;
  service(name: string, spec: Partial<InferenceService["spec"]> & { modelRef: string }): Promise<void>;
  /** Resolves with the object when it is so; fails with what it looked like last. */
  until<O extends KubeObject>(kind: Kind<O>, name: string, holds: (object: O) => boolean): Promise<O>;
}

const namespace = "default";
const patience = 180_000;

const hour = 3_600_000;

/** What is to be asked again in an hour is asked again in two seconds; everything else takes its time. */
const fastClock: Clock = {
  ...systemClock,
  schedule: (delay, run) => systemClock.schedule(delay === hour ? 2_000 : delay, run),
};

const programOf = (name: string): readonly string[] =>
  ownProgram(name, new URL("./main.ts", import.meta.resolve(`@trivium/${name}`)));

export async function startLaptop(test: TestContext, environment: Record<string, string>): Promise<Laptop> {
  const home = mkdtempSync(join(tmpdir(), "trivium-llmkube-"));
  const [root, claimsRoot, folder] = [join(home, "node"), join(home, "volumes"), join(home, "models")];
  for (const each of [root, claimsRoot, folder]) mkdirSync(each, { recursive: true });
  const failures: string[] = [];
  const onError = (what: string, error: unknown): void => void failures.push(`${what}: ${String(error)}`);
  const logs = new LogBook(Date.now);
  const server = createApi({
    store: openMemoryStore(),
    resources: builtInResources({ loopbackEndpoints: "allowed" }),
    podLogs: podLogsOf(logs, Date.now),
  });
  await server.ready;
  const transport = server.transport({ user: "laptop", groups: ["system:masters"] });
  const client = createClient(transport);
  for (const kind of [Model, InferenceService]) await client.create(CustomResourceDefinition, emitCrd(kind));

  const profile = await observeMachine({ root, onError });
  const folders = [{ path: folder }];
  const setups = await createSandboxSetup({
    root,
    client,
    node: profile,
    tokens: tokensOver(transport, Date.now),
    images: [],
    programs: { engine: programOf("engine"), weights: programOf("weights") },
    hostRoots: [...folders, { path: claimsRoot }],
    claimsRoot,
    apiServer: { host: "127.0.0.1", port: 1 },
    searchPath: process.env.PATH ?? "",
    onError,
  });
  const sandbox = await processSandbox({ root, setups, onError });
  await ensureLocalClass(client);
  const storage = folderProvisioner({ client, root: claimsRoot, node: profile.name });
  const claims = new ClaimBinder({ client, provisioner: localProvisioner, storage, onError });
  await claims.start();
  const backoff = { first: 1_000, most: 4_000 };
  const agent = new NodeAgent({ profile, client, sandbox, logs, claims, backoff, onError });
  await agent.start();

  const { cache } = llmkubeDefaults;
  const dialect = createLlmkube({
    ...llmkubeDefaults,
    localRoots: [folder],
    cache: { ...cache, preparation: "none", size: "64Mi" },
  });
  // As in a cluster: what tenants name leads outside, and to what the operator allows besides.
  const addresses = { publicAnd: ["localhost"] };
  const runtime = createRuntime({
    client,
    clock: fastClock,
    reconcilers: [...workloadReconcilers, ...dialect.reconcilers],
    answers: [
      ...localFileAnswers(folders, Date.now),
      ...modelSourceAnswers({ environment, addresses, localRoots: folders, now: Date.now }),
      ...modelServerAnswers(),
      ...podLogAnswers(client),
      ...servedKindAnswers(client),
    ],
  });
  await runtime.start();
  test.after(async () => {
    await runtime.stop();
    await agent.stop();
    await claims.stop();
    await setups.stop();
    await sandbox.rest?.(0);
    await server.close();
    await rm(home, { recursive: true, force: true });
  });

  const put = async (kind: Kind, name: string, spec: object): Promise<void> => {
    const apiVersion = `${kind.group}/${kind.version}`;
    const object = { apiVersion, kind: kind.kind, metadata: { name, namespace }, spec } as KubeObject;
    await client.apply(kind, object, { fieldManager: "person", force: true });
  };
  return {
    client,
    folder,
    failures,
    model: (name, spec) => put(Model, name, spec),
    service: (name, spec) => put(InferenceService, name, spec),
    until: (kind, name, holds) => until(client, { kind, name, holds }),
  };
}

interface Request<O extends KubeObject> {
  readonly kind: Kind<O>;
  readonly name: string;
  readonly holds: (object: O) => boolean;
}

async function until<O extends KubeObject>(client: KubeClient, { kind, name, holds }: Request<O>): Promise<O> {
  const signal = AbortSignal.timeout(patience);
  let observed = await client.get(kind, { namespace, name });
  if (holds(observed)) return observed;
  const fieldSelector = `metadata.name=${name}`;
  const resourceVersion = observed.metadata.resourceVersion ?? "0";
  try {
    for await (const event of client.watch(kind, { namespace, fieldSelector, resourceVersion, signal })) {
      if (event.type === "BOOKMARK") continue;
      observed = event.object;
      if (event.type !== "DELETED" && holds(observed)) return observed;
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  throw new Error(
    `${kind.kind} ${name} did not get there: ${JSON.stringify((observed as { status?: unknown }).status, null, 1)}`,
  );
}
