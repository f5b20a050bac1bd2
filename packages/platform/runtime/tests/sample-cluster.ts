import { afterEach } from "node:test";
import { type Condition, ConfigMap, type KubeClient } from "@trivium/kube";
import { answer } from "@trivium/reconcile";
import { type Cluster, startCluster, startWorld, type World, type WorldOptions } from "@trivium/testkit";
import { flowerPrice, palettes, Sample, sampleReconciler } from "./sample.ts";

/** A world with samples in it, cleared away after each test. */
export interface SampleCluster extends World {
  readonly cluster: Cluster;
}

const market = answer(flowerPrice, async ({ colour }) => colour.length);
const worlds: World[] = [];
const clusters: Cluster[] = [];
afterEach(async () => {
  await Promise.all(worlds.splice(0).map((world) => world.stop()));
  await Promise.all(clusters.splice(0).map((cluster) => cluster.close()));
});

export async function plot(): Promise<Cluster> {
  const cluster = await startCluster([Sample, ...palettes]);
  clusters.push(cluster);
  return cluster;
}

export async function sampleCluster(options: Partial<WorldOptions> = {}): Promise<SampleCluster> {
  const cluster = options.cluster ?? (await plot());
  const world = await startWorld({ reconcilers: [sampleReconciler], answers: [market], ...options, cluster });
  worlds.push(world);
  return Object.assign(world, { cluster });
}

export const ref = (name: string) => ({ namespace: "default", name });

export async function readyOf(client: KubeClient, name: string): Promise<Condition> {
  const { status } = await client.get(Sample, ref(name));
  return status?.conditions?.find(({ type }) => type === "Ready") as Condition;
}

/** The ConfigMaps of the garden, by name. */
export async function namesOf(client: KubeClient): Promise<string[]> {
  const { items } = await client.list(ConfigMap, { namespace: "default" });
  const names = items.map(({ metadata }) => metadata.name ?? "");
  return names.filter((name) => name !== "kube-root-ca.crt").sort();
}
