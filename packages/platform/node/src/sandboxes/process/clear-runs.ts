import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { endFamily } from "./end-family.ts";
import { containersFolder, type ProcessWorld } from "./process-world.ts";
import { RunFolder } from "./run-folder.ts";

/** Ends and clears away what earlier agents left of other pods, and ends what still runs of pods that are over. */
export async function retainRuns(
  world: ProcessWorld,
  { kept, going }: { kept: ReadonlySet<string>; going: ReadonlySet<string> },
): Promise<void> {
  const uids = await namesIn(containersFolder(world.root));
  await Promise.all(uids.filter((uid) => !kept.has(uid)).map((uid) => clearRuns(world, uid)));
  await Promise.all(uids.filter((uid) => kept.has(uid) && !going.has(uid)).map((uid) => endRuns(world, uid)));
}

/** Nothing of a pod runs, and nothing of it is kept. */
export async function clearRuns(world: ProcessWorld, uid: string): Promise<void> {
  await endRuns(world, uid);
  await rm(join(containersFolder(world.root), uid), { recursive: true, force: true });
}

async function endRuns(world: ProcessWorld, uid: string): Promise<void> {
  const pod = join(containersFolder(world.root), uid);
  for (const container of await namesIn(pod)) {
    for (const run of await namesIn(join(pod, container))) {
      const found = await new RunFolder(join(pod, container, run)).find(world.boot);
      if (found.is !== "alive" && found.is !== "ended") continue;
      const { keeper, facts } = found;
      const isOver = keeper === undefined || (await endFamily({ keeper, cgroup: facts.cgroup }));
      if (!isOver)
        world.onTrouble(`ending container ${container} of pod ${facts.namespace}/${facts.pod}`, "it does not go away");
    }
  }
}

const namesIn = (folder: string): Promise<string[]> => readdir(folder).catch(() => []);
