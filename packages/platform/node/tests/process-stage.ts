import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { type Api, builtInResources, createApi, openMemoryStore } from "@trivium/apiserver";
import { createClient } from "@trivium/client";
import { type api, Event, isReason, type KubeClient, Pod, type PodSpec } from "@trivium/kube";
import type { NodeAgentOptions } from "../src/agent.ts";
import { LogBook, NodeAgent, podLogsOf, podStreamsOf, processSandbox, type Sandbox } from "../src/index.ts";
import { plainSetups } from "./process-setup.ts";

/** An API server in memory and a node on it that runs real processes, in real time. */
export interface ProcessStage {
  readonly api: Api;
  readonly client: KubeClient;
  readonly root: string;
  readonly failures: string[];
  agent(options?: Partial<NodeAgentOptions> & SandboxOptions): Promise<NodeAgent>;
  /** Of the agent that was made last. */
  sandbox(): Sandbox;
  /** A pod whose first container runs this shell script, unless the spec says otherwise. */
  create(name: string, script: string, spec?: Partial<PodSpec>, container?: Partial<api.Container>): Promise<Pod>;
  get(name: string): Promise<Pod | undefined>;
  /** Resolves with the pod when it is so; fails with what the pod looked like last. */
  until(name: string, holds: (pod: Pod) => boolean): Promise<Pod>;
  untilGone(name: string): Promise<void>;
  delete(name: string, seconds?: number): Promise<void>;
  /** `lines` is where they go as they come. */
  log(name: string, options?: Parameters<KubeClient["log"]>[1], lines?: string[]): Promise<string[]>;
  events(name: string): Promise<string[]>;
}

export interface SandboxOptions {
  readonly cgroups?: "none";
  readonly logFiles?: { readonly bytes: number; readonly files: number };
}

const patience = 150_000;

export const newFolder = (): Promise<string> => mkdtemp(join(tmpdir(), "trivium-node-"));

export async function startProcessStage(test: TestContext, folder?: string): Promise<ProcessStage> {
  const root = folder ?? (await newFolder());
  const now = () => Date.now();
  const logs = new LogBook(now);
  const failures: string[] = [];
  const onError = (what: string, error: unknown) => failures.push(`${what}: ${error}`);
  let last: Sandbox | undefined;
  const server = createApi({
    store: openMemoryStore(),
    resources: builtInResources({ loopbackEndpoints: "allowed" }),
    podLogs: podLogsOf(logs, now),
    podStreams: podStreamsOf(() => last),
  });
  await server.ready;
  const client = createClient(server.transport({ user: "stage", groups: ["system:masters"] }));
  const agents = new Set<NodeAgent>();
  const place = (name: string) => ({ namespace: "default", name });
  const get = (name: string) =>
    client.get(Pod, place(name)).catch((error: unknown) => {
      if (isReason(error, "NotFound")) return undefined;
      throw error;
    });
  const until = async (name: string, holds: (pod: Pod | undefined) => boolean): Promise<Pod | undefined> => {
    const signal = AbortSignal.timeout(patience);
    let observed = await get(name);
    if (holds(observed)) return observed;
    try {
      const resourceVersion = observed?.metadata.resourceVersion ?? "0";
      const fieldSelector = `metadata.name=${name}`;
      for await (const event of client.watch(Pod, { namespace: "default", fieldSelector, resourceVersion, signal })) {
        if (event.type === "BOOKMARK") continue;
        observed = event.type === "DELETED" ? undefined : event.object;
        if (holds(observed)) return observed;
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
    throw new Error(
      `pod ${name} did not get there: ${JSON.stringify(observed?.status, null, 1)} ${failures.join("\n")}`,
    );
  };
  test.after(async () => {
    const { items } = await client.list(Pod, { namespace: "default" });
    for (const { metadata } of items) await client.delete(Pod, place(metadata.name ?? ""), { gracePeriodSeconds: 0 });
    for (const { metadata } of items) await until(metadata.name ?? "", (pod) => pod === undefined);
    await untilEmpty(join(root, "containers"));
    await eventually(async () => (await processesWith(root)).length === 0, "no process is left");
    await Promise.all([...agents].map((agent) => agent.stop()));
    await server.close();
    await rm(root, { recursive: true, force: true });
  });
  return {
    api: server,
    client,
    root,
    failures,
    async agent({ cgroups, logFiles, ...options } = {}) {
      const sandbox = await processSandbox({
        root,
        setups: plainSetups(root),
        onError,
        ...(cgroups === undefined ? {} : { cgroups }),
        ...(logFiles === undefined ? {} : { logs: logFiles }),
      });
      last = sandbox;
      const profile = { name: "node-a", address: "127.0.0.1" };
      const backoff = { first: 200, most: 1_000 };
      const agent = new NodeAgent({ profile, client, sandbox, logs, onError, backoff, ...options });
      agents.add(agent);
      await agent.start();
      return agent;
    },
    sandbox: () => last ?? assert.fail("there is no agent"),
    create: (name, script, spec = {}, container = {}) =>
      client.create(Pod, {
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name, namespace: "default" },
        spec: { nodeName: "node-a", containers: [{ ...shell("main", script), ...container }], ...spec },
      }),
    get,
    until: async (name, holds) => (await until(name, (pod) => pod !== undefined && holds(pod))) as Pod,
    untilGone: async (name) => void (await until(name, (pod) => pod === undefined)),
    async delete(name, seconds) {
      await client.delete(Pod, place(name), seconds === undefined ? {} : { gracePeriodSeconds: seconds });
    },
    async log(name, options = {}, lines = []) {
      for await (const line of client.log(place(name), options)) lines.push(line);
      return lines;
    },
    async events(name) {
      const { items } = await client.list(Event, { namespace: "default" });
      return items
        .filter(({ involvedObject }) => involvedObject.name === name)
        .map(({ reason, message }) => `${reason}: ${message}`);
    },
  };
}

export const shell = (name: string, script: string): api.Container => ({
  name,
  image: "shell",
  command: ["/bin/sh", "-c", script],
});

export const stateOf = (pod: Pod, name = "main"): api.ContainerStatus | undefined =>
  [...(pod.status?.containerStatuses ?? []), ...(pod.status?.initContainerStatuses ?? [])].find(
    (one) => one.name === name,
  );

export const isReady = ({ status }: Pod): boolean =>
  status?.conditions?.find(({ type }) => type === "Ready")?.status === "True";

const marks = 10_000_000 + Math.floor(Math.random() * 80_000_000);

/** A number that no other test run has, to sleep for and to be found by. */
export const mark = (number: number): string => String(marks + number);

/** Processes of this machine whose arguments hold this text, other than those that look for it. */
export async function processesWith(text: string): Promise<number[]> {
  const found: number[] = [];
  for (const pid of (await readdir("/proc")).filter((name) => /^\d+$/.test(name))) {
    const line = await readFile(`/proc/${pid}/cmdline`, "latin1").catch(() => "");
    if (line.includes(text) && Number(pid) !== process.pid) found.push(Number(pid));
  }
  return found;
}

export const pause = (millis: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, millis));

/** For what has no event to wait for. */
export async function eventually(holds: () => Promise<boolean> | boolean, what: string): Promise<void> {
  const end = Date.now() + patience;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`never came true: ${what}`);
    await pause(20);
  }
}

async function untilEmpty(folder: string): Promise<void> {
  await eventually(async () => (await readdir(folder).catch(() => [])).length === 0, `${folder} is empty`);
}
