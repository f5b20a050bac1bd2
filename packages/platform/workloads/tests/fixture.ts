import type { TestContext } from "node:test";
import { Event, type KubeObject, type Pod, type PodSpec, type Ref } from "@trivium/kube";
import { ClaimBinder, LogBook, NodeAgent, type NodeProfile, type StageTable, stagedSandbox } from "@trivium/node";
import type { Answered, AnyReconciler } from "@trivium/reconcile";
import { startCluster, startWorld, type World } from "@trivium/testkit";

export const provisioner = "trivium.dev/staged";

/** The embedded API with some controllers, staged nodes, and time that stands still. */
export interface ClusterFixture extends World {
  node(profile: Partial<NodeProfile> & { name: string }, stages?: StageTable): Promise<NodeAgent>;
  /** What was told of an object, oldest first: `Warning FailedScheduling …`. */
  events(of: Ref): Promise<string[]>;
  failures: string[];
}

interface FixtureOptions {
  readonly reconcilers: readonly AnyReconciler[];
  readonly answers?: readonly Answered[];
}

export async function startFixture(test: TestContext, options: FixtureOptions): Promise<ClusterFixture> {
  const cluster = await startCluster();
  const { client, clock } = cluster;
  const world = await startWorld({ cluster, ...options });
  const logs = new LogBook(() => clock.now());
  const failures: string[] = [];
  const onError = (what: string, error: unknown) => failures.push(`${what}: ${error}`);
  const claims = new ClaimBinder({ client, clock, provisioner, onError });
  await claims.start();
  const agents: NodeAgent[] = [];
  test.after(async () => {
    await Promise.all([...agents, claims].map((each) => each.stop()));
    await world.stop();
    await cluster.close();
  });
  return {
    ...world,
    failures,
    async node(profile, stages = []) {
      const sandbox = stagedSandbox({ clock, stages, podCidr: `10.244.${agents.length}.0/24` });
      const agent = new NodeAgent({
        profile: { address: "127.0.0.1", ...profile },
        client,
        clock,
        sandbox,
        logs,
        claims,
        onError,
      });
      agents.push(agent);
      await agent.start();
      await world.settle();
      return agent;
    },
    async events({ namespace = "default", name }) {
      await world.settle();
      const { items } = await client.list(Event, { namespace });
      return items
        .filter(({ involvedObject }) => involvedObject.name === name)
        .sort((a, b) => Number(a.metadata.resourceVersion) - Number(b.metadata.resourceVersion))
        .map(({ type, reason, message }) => `${type} ${reason} ${message}`);
    },
  };
}

export const ref = (name: string): Ref => ({ namespace: "default", name });

export function podOf(name: string, spec: Partial<PodSpec> = {}, metadata: Partial<KubeObject["metadata"]> = {}): Pod {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: "default", ...metadata },
    spec: { containers: [{ name: "main", image: "example/app:1" }], ...spec },
  };
}
