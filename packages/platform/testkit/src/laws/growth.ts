import type { DefinedKind, KubeClient } from "@trivium/kube";
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
  /** Changes one object; which is up to it. */
  apply(client: KubeClient, size: number): Promise<void>;
  /** How many objects depend on what changed; the default is that their number does not grow with the world. */
  dependants?(size: number): number;
}

/**
 * **Growth**: in a world of n like objects, the change of one triggers the passes of its dependants and no others, and creating n objects takes
 * n times the passes of one. Two sizes are compared by what the runtime itself counts. Says what grows, in words.
 */
export async function growthOf(growth: GrowthCase, { small = 4, large = 16 } = {}): Promise<string[]> {
  const [few, many] = [await measure(growth, small), await measure(growth, large)];
  const faults: string[] = [];
  if (many.created / large > (few.created / small) * tolerance)
    faults.push(`creating ${small} objects takes ${few.created} passes, creating ${large} takes ${many.created}`);
  for (const [name, { dependants = () => 0 }] of Object.entries(growth.changes)) {
    const [before = 0, after = 0] = [few.changed[name], many.changed[name]];
    const allowed = (dependants(large) - dependants(small)) * passesEach;
    if (after - before > allowed + spare)
      faults.push(`${name}: ${before} passes among ${small} objects, ${after} among ${large}`);
  }
  return faults;
}

/** Events that arrive together share a pass, so that counts differ a little from run to run. */
const spare = 4;
const tolerance = 1.5;
/** A dependant decides, is written, and sees that it was. */
const passesEach = 4;

interface Measured {
  readonly created: number;
  readonly changed: Readonly<Record<string, number>>;
}

async function measure(growth: GrowthCase, size: number): Promise<Measured> {
  const { kinds, reconcilers, answers = [] } = growth;
  const cluster = await startCluster(kinds);
  const world = await startWorld({ cluster, reconcilers, answers });
  await growth.prepare?.(world.client);
  const created = await passesDuring(world, async () => {
    for (let i = 0; i < size; i += 1) await growth.create(world.client, i, () => rest(world));
  });
  const changed: Record<string, number> = {};
  for (const [name, { apply }] of Object.entries(growth.changes))
    changed[name] = await passesDuring(world, () => apply(world.client, size));
  await world.stop();
  await cluster.close();
  return { created, changed };
}

async function passesDuring(world: World, work: () => Promise<void>): Promise<number> {
  await rest(world);
  const before = await passesOf(world);
  await work();
  await rest(world);
  return (await passesOf(world)) - before;
}

/** Long enough for what is written to be seen, too short for rechecks and answers that expire. */
async function rest(world: World): Promise<void> {
  await world.settle();
  await world.elapse(50);
}

async function passesOf({ runtime }: World): Promise<number> {
  const metric = await runtime.registry.getSingleMetric("trivium_passes_total")?.get();
  return (metric?.values ?? []).reduce((sum, { value }) => sum + value, 0);
}
