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
  for (const folder of await runsOf(world.root, uid)) {
    const found = await folder.find(world.boot);
    if (found.is !== "alive" && found.is !== "ended") continue;
    const { supervisor, facts } = found;
    const { container, namespace, pod, cgroup } = facts;
    const isOver = supervisor === undefined || (await endFamily({ supervisor, cgroup }));
    if (!isOver) world.onError(`cannot stop container ${container} of pod ${namespace}/${pod}`, "it does not exit");
  }
}

/** What ending runs requires of the world. */
type RestingWorld = Pick<ProcessWorld, "root" | "boot" | "clock" | "cgroups" | "onError">;

/** Ends all that runs, and leaves everything that is written down for the next agent. */
export async function restRuns(world: RestingWorld, grace: Millis): Promise<void> {
  const folders = await runsIn(world.root);
  const report = (error: unknown): void => world.onError("cannot stop a container", error);
  // One that cannot be stopped must not keep the others running.
  await Promise.all(folders.map((folder) => restRun(world, folder, grace).catch(report)));
  if (world.cgroups !== undefined) await sweepCgroups(world.cgroups);
}

async function restRun(world: RestingWorld, folder: RunFolder, grace: Millis): Promise<void> {
  const found = await folder.find(world.boot);
  if (found.is !== "alive") return;
  const { supervisor, facts } = found;
  await folder.mark("rest");
  const observed = ProcessTable.read().familyOf(supervisor.pid);
  const ended = new AbortController();
  // Without its pipe its end is not reported: then it gets no time.
  const endWatch = await watchLife(folder.file("life"), () => ended.abort()).catch(() => ended.abort());
  askToEnd({ supervisor });
  await waitFor(world.clock, grace, ended.signal);
  endWatch?.();
  await endFamily({ supervisor, cgroup: facts.cgroup, observed });
}

/** Every run that a node has written down. */
export async function runsIn(root: string): Promise<RunFolder[]> {
  const uids = await namesIn(containersFolder(root));
  return (await Promise.all(uids.map((uid) => runsOf(root, uid)))).flat();
}

async function runsOf(root: string, uid: string): Promise<RunFolder[]> {
  const pod = join(containersFolder(root), uid);
  const folders: RunFolder[] = [];
  for (const container of await namesIn(pod)) {
    for (const run of await namesIn(join(pod, container))) folders.push(new RunFolder(join(pod, container, run)));
  }
  return folders;
}

const namesIn = (folder: string): Promise<string[]> => readdir(folder).catch(() => []);
