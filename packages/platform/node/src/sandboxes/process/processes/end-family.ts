import { setTimeout as pause } from "node:timers/promises";
import { Cgroup } from "./cgroups.ts";
import { identityOf, type ProcessIdentity } from "./process-identity.ts";
import { ProcessTable } from "./process-tree.ts";

export interface Family {
  readonly supervisor: ProcessIdentity;
  readonly cgroup?: string | undefined;
  /** Processes that were seen to come from it, for those that have left its session since. */
  readonly observed?: Iterable<ProcessIdentity>;
}

/** Asks all in the group of the process to end. */
export function askToEnd({ supervisor }: Family): void {
  if (isOurs(supervisor)) signal(-supervisor.pid, "SIGTERM");
}

const rounds = 20;

/** Ends all that belongs to a run. What is born while it is ended is found in the next round. Says whether nothing is left. */
export async function endFamily({ supervisor, cgroup, observed = [] }: Family): Promise<boolean> {
  const group = cgroup === undefined ? undefined : new Cgroup(cgroup);
  const known = [...observed];
  for (let round = 0; round < rounds; round += 1) {
    if (isOurs(supervisor)) signal(-supervisor.pid, "SIGKILL");
    await group?.kill();
    const members = await membersOf(supervisor, group, known);
    if (members.length === 0) {
      await group?.remove();
      return true;
    }
    for (const { pid } of members) signal(pid, "SIGKILL");
    await pause(Math.min(2 ** round, 50));
  }
  return false;
}

async function membersOf(supervisor: ProcessIdentity, group: Cgroup | undefined, observed: readonly ProcessIdentity[]) {
  const table = ProcessTable.read();
  const inGroup = ((await group?.pids()) ?? []).flatMap((pid) => table.get(pid) ?? []).filter(isGoing);
  return [
    ...inGroup,
    ...(isOurs(supervisor) ? table.familyOf(supervisor.pid, observed) : table.familyOf(-1, observed)),
  ];
}

const isGoing = ({ state }: { readonly state: string }): boolean => state !== "Z" && state !== "X";

/**
 * The number of a keeper still means its session: it is the keeper's own, or nobody's. A number is not given away while a session or a
 * group goes by it; a process that has it and began at another time shows that ours are gone.
 */
function isOurs({ pid, start }: ProcessIdentity): boolean {
  // The group of nobody would be our own, and that of the first process everything.
  if (!(pid > 1)) return false;
  const now = identityOf(pid);
  return now === undefined || now.start === start;
}

function signal(pid: number, name: "SIGTERM" | "SIGKILL"): void {
  try {
    process.kill(pid, name);
  } catch {
    // Nobody is there, which is as good.
  }
}
