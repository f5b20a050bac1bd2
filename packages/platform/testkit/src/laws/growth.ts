import { type DefinedKind, type KubeClient, Node } from "@trivium/kube";
import type { Answered, AnyReconciler } from "@trivium/reconcile";
import { startCluster } from "../cluster.ts";
import { startWorld, type World } from "../world.ts";

/** A world of many like objects, and what happens to one of them. */
export interface GrowthCase {
  readonly kinds: readonly DefinedKind[];
  readonly reconcilers: readonly AnyReconciler[];
  readonly answers?: readonly Answered[];
  /** What is created once, before the objects. */
  prepare?(client: KubeClient): Promise<void>;
  /** Object number `i` with everything around it, as people and other controllers create it; `settle` lets the runtime act between. */
  create(client: KubeClient, i: number, settle: () => Promise<void>): Promise<void>;
  readonly changes: Readonly<Record<string, GrowthChange>>;
}

export interface GrowthChange {
  /** Changes one object; which is up to it. It is applied at each size, so it must change something each time: `size` makes the difference. */
  apply(client: KubeClient, size: number): Promise<void>;
  /** Takes it back where the next objects would be created in another world; not counted. */
  undo?(client: KubeClient): Promise<void>;
  /** How many objects depend on what changed; the default is that their number does not grow with the world. */
  dependants?(size: number): number;
}

export interface GrowthSizes {
  readonly small: number;
  readonly large: number;
}

/** Small enough to be quick, far enough apart for what grows to show. */
export const growthSizes: Readonly<Record<"kinds" | "services", GrowthSizes>> = {
  kinds: { small: 2, large: 10 },
  services: { small: 3, large: 14 },
};

/** The name of object number `i`. */
export const nameOfObject = (i: number): string => `s${String(i).padStart(3, "0")}`;

/**
 * **Growth**: in a world of n like objects, the change of one triggers its dependants and no others, the heartbeat of a node triggers none,
 * and a new object takes as many passes in a large world as in a small one. Two sizes of one world are compared by what the runtime itself
 * counts. Says what grows, in words.
 */
export async function growthOf(growth: GrowthCase, { small, large }: GrowthSizes): Promise<string[]> {
  const { kinds, reconcilers, answers = [] } = growth;
  const cluster = await startCluster(kinds);
  const world = await startWorld({ cluster, reconcilers, answers });
  await createNode(world.client);
  await growth.prepare?.(world.client);
  const few = await grow(growth, world, { from: 0, to: small });
  const many = await grow(growth, world, { from: small, to: large });
  await world.stop();
  await cluster.close();
  return faultsOf(growth, few, many);
}

function faultsOf(growth: GrowthCase, few: Measured, many: Measured): string[] {
  const faults: string[] = [];
  if (passesEachOf(many) > passesEachOf(few) * tolerance)
    faults.push(`the first ${few.to} objects take ${few.passes} passes, those up to ${many.to} take ${many.passes}`);
  for (const [name, { dependants = () => 0 }] of Object.entries(changesOf(growth))) {
    const [before = 0, after = 0] = [few.triggers[name], many.triggers[name]];
    const allowed = (dependants(many.to) - dependants(few.to)) * passesEach;
    if (after - before > allowed + spare)
      faults.push(`${name}: triggers ${before} times among ${few.to} objects, ${after} times among ${many.to}`);
  }
  return faults;
}

const passesEachOf = ({ passes, from, to }: Measured): number => passes / (to - from);

/** Events that arrive together share a pass, so that counts differ a little from run to run. */
const spare = 4;
const tolerance = 1.5;
/** A dependant decides, is written, and sees that it was. */
const passesEach = 4;

interface Measured extends Sizes {
  readonly passes: number;
  readonly triggers: Readonly<Record<string, number>>;
}

interface Sizes {
  readonly from: number;
  readonly to: number;
}

/** Adds objects to the world, and counts what that and each change costs at its new size. */
async function grow(growth: GrowthCase, world: World, { from, to }: Sizes): Promise<Measured> {
  const { client } = world;
  const create = async () => {
    for (let i = from; i < to; i += 1) await growth.create(client, i, () => rest(world));
  };
  const passes = await countDuring(world, () => passesOf(world), create);
  const triggers: Record<string, number> = {};
  for (const [name, { apply, undo }] of Object.entries(changesOf(growth))) {
    const change = () => apply(client, to);
    triggers[name] = await countDuring(world, () => triggersOf(world), change);
    await undo?.(client);
  }
  return { from, to, passes, triggers };
}

async function countDuring(world: World, count: () => Promise<number>, work: () => Promise<void>): Promise<number> {
  await rest(world);
  const before = await count();
  await work();
  await rest(world);
  return (await count()) - before;
}

/** Long enough for what is written to be seen, too short for rechecks and answers that expire. */
async function rest(world: World): Promise<void> {
  await world.settle();
  await world.elapse(50);
}

const passesOf = ({ runtime }: World): Promise<number> => sumOf(runtime, "trivium_passes_total");

/** With objects that were observed as before: to find that out takes time, too. */
const triggersOf = async (world: World): Promise<number> =>
  (await passesOf(world)) + (await sumOf(world.runtime, "trivium_unchanged_observations_total"));

async function sumOf({ registry }: World["runtime"], name: string): Promise<number> {
  const metric = await registry.getSingleMetric(name)?.get();
  return (metric?.values ?? []).reduce((sum, { value }) => sum + value, 0);
}

const changesOf = ({ changes }: GrowthCase): GrowthCase["changes"] => ({
  ...changes,
  "a node sends a heartbeat": beat,
});

/** A node that is in every such world. */
export const growthNode = "growth";

async function createNode(client: KubeClient): Promise<void> {
  const capacity = { cpu: "4", memory: "16Gi", pods: "110" };
  const status = { capacity, allocatable: capacity, ...reportedAt("2026-01-01T00:00:00Z") };
  await client.create(Node, { apiVersion: "v1", kind: "Node", metadata: { name: growthNode }, status });
}

/** What a kubelet writes every few minutes. */
const beat: GrowthChange = {
  apply: async (client, size) => {
    const images = [{ names: ["example.com/serve"], sizeBytes: size }];
    const status = { ...reportedAt(`2026-01-01T00:${String(size).padStart(2, "0")}:00Z`), images };
    await client.patch(Node, { name: growthNode }, { type: "merge", body: { status } }, { subresource: "status" });
  },
};

const reportedAt = (lastHeartbeatTime: string) => ({
  conditions: [{ type: "Ready", status: "True" as const, lastHeartbeatTime }],
});
