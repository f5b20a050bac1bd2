import type { TestContext } from "node:test";
import { builtInResources, createApi, openMemoryStore } from "@trivium/apiserver";
import { createClient } from "@trivium/client";
import { isReason, type KubeClient, Pod, type PodSpec } from "@trivium/kube";
import { FakeClock, turns } from "@trivium/testkit";
import type { NodeAgentOptions } from "../src/agent.ts";
import {
  ClaimBinder,
  LogBook,
  NodeAgent,
  type NodeProfile,
  podLogsOf,
  type StageTable,
  stagedSandbox,
} from "../src/index.ts";

/** An API server in memory, nodes on it, and time that stands still. */
export interface Stage {
  readonly clock: FakeClock;
  readonly client: KubeClient;
  readonly logs: LogBook;
  readonly failures: string[];
  agent(
    profile?: Partial<NodeProfile>,
    options?: Partial<NodeAgentOptions> & { stages?: StageTable },
  ): Promise<NodeAgent>;
  binder(): Promise<ClaimBinder>;
  /** Lets time pass, and everything come to rest after each timer. */
  elapse(millis: number): Promise<void>;
  create(name: string, spec?: Partial<PodSpec>, metadata?: Partial<Pod["metadata"]>): Promise<Pod>;
  get(name: string): Promise<Pod | undefined>;
  log(name: string, options?: Parameters<KubeClient["log"]>[1]): Promise<string[]>;
}

export const provisioner = "trivium.dev/staged";

export async function startStage(test: TestContext): Promise<Stage> {
  const clock = new FakeClock();
  const now = () => clock.now();
  const logs = new LogBook(now);
  const failures: string[] = [];
  const onError = (what: string, error: unknown) => failures.push(`${what}: ${error}`);
  const api = createApi({
    store: openMemoryStore(),
    resources: builtInResources(),
    clock: now,
    podLogs: podLogsOf(logs, now),
  });
  await api.ready;
  const client = createClient(api.transport({ user: "stage", groups: ["system:masters"] }));
  const running: { stop(): Promise<void> }[] = [];
  const settle = async () => {
    await turns(30);
    await api.idle();
  };
  test.after(async () => {
    await Promise.all(running.map((each) => each.stop()));
    await api.close();
  });
  return {
    clock,
    client,
    logs,
    failures,
    async agent(profile = {}, { stages = [], ...options } = {}) {
      const name = profile.name ?? "node-a";
      const sandbox = stagedSandbox({ clock, stages, podCidr: "10.244.1.0/24" });
      const agent = new NodeAgent({
        profile: { address: "127.0.0.1", ...profile, name },
        client,
        clock,
        sandbox,
        logs,
        onError,
        ...options,
      });
      running.push(agent);
      await agent.start();
      return agent;
    },
    async binder() {
      const binder = new ClaimBinder({ client, clock, provisioner, onError });
      running.push(binder);
      await binder.start();
      return binder;
    },
    elapse: (millis) => clock.advance(millis, settle),
    create: (name, spec = {}, metadata = {}) =>
      client.create(Pod, {
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name, namespace: "default", ...metadata },
        spec: { nodeName: "node-a", containers: [{ name: "main", image: "example/app:1" }], ...spec },
      }),
    get: (name) =>
      client.get(Pod, { namespace: "default", name }).catch((error: unknown) => {
        if (isReason(error, "NotFound")) return undefined;
        throw error;
      }),
    async log(name, options = {}) {
      const lines: string[] = [];
      for await (const line of client.log({ namespace: "default", name }, options)) lines.push(line);
      return lines;
    },
  };
}
