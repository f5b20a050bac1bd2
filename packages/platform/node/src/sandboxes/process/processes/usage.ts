import type { Instant } from "@trivium/std";
import type { ContainerUsage } from "../../../sandbox.ts";
import type { ProcessRun } from "../run/process-run.ts";
import { Cgroup } from "./cgroups.ts";
import { memoryOfFamily } from "./memory-watch.ts";
import { ProcessTable } from "./process-tree.ts";

const nanosOfTick = 10_000_000;

/** What running containers use: by the kernel's own count where there is one, else summed over their processes. */
export async function usageOf(all: readonly ProcessRun[], at: Instant): Promise<ContainerUsage[]> {
  if (all.length === 0) return [];
  const table = ProcessTable.read();
  return await Promise.all(
    all.map(async ({ facts, family }) => {
      const group = facts.cgroup === undefined ? undefined : new Cgroup(facts.cgroup);
      const { namespace, pod, podUid, container } = facts;
      const micros = await group?.cpuMicros();
      const ticks = table.familyOf(family.supervisor.pid).reduce((sum, one) => sum + one.ticks, 0);
      const memoryBytes = (await group?.memoryBytes()) ?? (await memoryOfFamily(family, table));
      return {
        namespace,
        pod,
        podUid,
        container,
        at,
        memoryBytes,
        cpuNanos: micros === undefined ? ticks * nanosOfTick : micros * 1_000,
      };
    }),
  );
}
