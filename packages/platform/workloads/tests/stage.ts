import type { TestContext } from "node:test";
import {
  ControllerRevision,
  DaemonSet,
  Deployment,
  Event,
  type Kind,
  type KubeClient,
  type KubeObject,
  type Patch,
  ReplicaSet,
  StatefulSet,
} from "@trivium/kube";
import { LogBook, NodeAgent, type NodeProfile, type StageTable, stagedSandbox } from "@trivium/node";
import { type Cluster, startCluster, startWorld, type World, type WorldOptions } from "@trivium/testkit";
import { workloadReconcilers } from "../src/index.ts";

/** The embedded server with the workloads and nodes on it, and time that stands still. */
export interface Stage extends World {
  readonly cluster: Cluster;
  node(profile?: Partial<NodeProfile>, stages?: StageTable): Promise<NodeAgent>;
  /** All objects of a kind in the default namespace, by name. */
  all<O extends KubeObject>(kind: Kind<O>): Promise<O[]>;
  /** `reason message` of the Events about an object, in the order of their names' making. */
  reported(name: string): Promise<string[]>;
}

const names = [DaemonSet, Deployment, ReplicaSet, StatefulSet, ControllerRevision].map(({ kind }) => kind);

export async function startStage(
  test: TestContext,
  options: Pick<Partial<WorldOptions>, "reconcilers" | "faults" | "log"> = {},
): Promise<Stage> {
  const cluster = await startCluster();
  const world = await startWorld({ reconcilers: workloadReconcilers, log: failureLog, ...options, cluster });
  const agents: NodeAgent[] = [];
  const { client, clock } = world;
  test.after(async () => {
    await Promise.all(agents.map((agent) => agent.stop()));
    await world.stop();
    await cluster.close();
  });
  return Object.assign(world, {
    cluster,
    async node(profile: Partial<NodeProfile> = {}, stages: StageTable = []) {
      const name = profile.name ?? "node-a";
      const sandbox = stagedSandbox({ clock, stages, podCidr: `10.244.${agents.length}.0/24` });
      const logs = new LogBook(() => clock.now());
      const agent = new NodeAgent({
        profile: { address: "127.0.0.1", ...profile, name },
        client,
        clock,
        sandbox,
        logs,
      });
      agents.push(agent);
      await agent.start();
      return agent;
    },
    all: <O extends KubeObject>(kind: Kind<O>) => allOf(client, kind),
    async reported(name: string) {
      const events = await allOf(client, Event);
      return events
        .filter(({ involvedObject }) => involvedObject.name === name && names.includes(involvedObject.kind ?? ""))
        .map(({ reason, message }) => `${reason} ${message}`)
        .sort();
    },
  });
}

async function allOf<O extends KubeObject>(client: KubeClient, kind: Kind<O>): Promise<O[]> {
  const { items } = await client.list(kind, { namespace: "default" });
  return items.sort((a, b) => ((a.metadata.name ?? "") < (b.metadata.name ?? "") ? -1 : 1));
}

/** A pass that fails is a fault of ours unless the object moved meanwhile. */
const silent = () => {};
const failureLog = {
  debug: silent,
  info: silent,
  warn: (fields: object, message: string) => console.error(message, fields),
  error: (fields: object, message: string) => console.error(message, fields),
};

export const ref = (name: string) => ({ namespace: "default", name });

export function container(image: string) {
  return { name: "main", image };
}

export function deployment(name: string, spec: Partial<Deployment["spec"]> = {}, image = "example/web:1"): Deployment {
  const labels = { app: name };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: ref(name),
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [container(image)] } },
      ...spec,
    },
  };
}

export const setImage = (image: string): Patch => ({
  type: "strategic",
  body: { spec: { template: { spec: { containers: [container(image)] } } } },
});
