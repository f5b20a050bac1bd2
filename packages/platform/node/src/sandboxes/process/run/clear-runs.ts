import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { waitFor } from "@trivium/runtime";
import type { Millis } from "@trivium/std";
import { containersFolder, type ProcessWorld } from "../process-world.ts";
import { sweepCgroups } from "../processes/cgroups.ts";
import { askToEnd, endFamily } from "../processes/end-family.ts";
import { ProcessTable } from "../processes/process-tree.ts";
import { watchLife } from "./life-line.ts";
import { RunFolder } from "./run-folder.ts";

/** Ends and clears away what earlier agents left of other pods, and ends what still runs of pods that are over. */
export async function retainRuns(
  world: ProcessWorld,
  { kept, going }: { kept: ReadonlySet<string>; going: ReadonlySet<string> },
): Promise<void> {
  const uids = await namesIn(containersFolder(world.root));
  await Promise.all(uids.filter((uid) => !kept.has(uid)).map((uid) => clearRuns(world, uid)));
  await Promise.all(uids.filter((uid) => kept.has(uid) && !going.has(uid)).map((uid) => endRuns(world, uid)));
  if (world.cgroups !== undefined) await sweepCgroups(world.cgroups);
}

/** Nothing of a pod runs, and nothing of it is kept. */
export async function clearRuns(world: ProcessWorld, uid: string): Promise<void> {
  await endRuns(world, uid);
  await rm(join(containersFolder(world.root), uid), { recursive: true, force: true });
}

async function endRuns(world: ProcessWorld, uid: string): Promise<void> {
  for (const folder of await runsOf(world, uid)) {
    const found = await folder.find(world.boot);
    if (found.is !== "alive" && found.is !== "ended") continue;
    const { supervisor, facts } = found;
    const { container, namespace, pod, cgroup } = facts;
    const isOver = supervisor === undefined || (await endFamily({ supervisor, cgroup }));
    if (!isOver) world.onError(`cannot stop container ${container} of pod ${namespace}/${pod}`, "it does not exit");
  }
}

/** Ends all that runs, and leaves everything that is written down for the next agent. */
export async function restRuns(world: ProcessWorld, grace: Millis): Promise<void> {
  const uids = await namesIn(containersFolder(world.root));
  const folders = (await Promise.all(uids.map((uid) => runsOf(world, uid)))).flat();
  await Promise.all(folders.map((folder) => restRun(world, folder, grace)));
  if (world.cgroups !== undefined) await sweepCgroups(world.cgroups);
}

async function restRun(world: ProcessWorld, folder: RunFolder, grace: Millis): Promise<void> {
  const found = await folder.find(world.boot);
  if (found.is !== "alive") return;
  const { supervisor, facts } = found;
  await folder.mark("rest");
  const observed = ProcessTable.read().familyOf(supervisor.pid);
  const ended = new AbortController();
  const endWatch = await watchLife(folder.file("life"), () => ended.abort());
  askToEnd({ supervisor });
  await waitFor(world.clock, grace, ended.signal);
  endWatch();
  await endFamily({ supervisor, cgroup: facts.cgroup, observed });
}

async function runsOf(world: ProcessWorld, uid: string): Promise<RunFolder[]> {
  const pod = join(containersFolder(world.root), uid);
  const folders: RunFolder[] = [];
  for (const container of await namesIn(pod)) {
    for (const run of await namesIn(join(pod, container))) folders.push(new RunFolder(join(pod, container, run)));
  }
  return folders;
}

const namesIn = (folder: string): Promise<string[]> => readdir(folder).catch(() => []);
