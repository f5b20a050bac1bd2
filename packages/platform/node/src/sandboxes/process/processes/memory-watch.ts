import type { Cancel, Clock } from "@trivium/runtime";
import type { Millis } from "@trivium/std";
import { Cgroup } from "./cgroups.ts";
import type { Family } from "./end-family.ts";
import { memoryOf, ProcessTable } from "./process-tree.ts";

export interface MemoryWatched {
  readonly family: Family;
  readonly limit: number;
  onOver(used: number): void;
}

const checkEvery: Millis = 1_000;

/**
 * Holds containers to their memory limit where the kernel does not do it for us. It looks at all of them once a second; nothing on such a
 * machine could wake it (docs/internals/decisions, watching memory).
 */
export class MemoryWatch {
  readonly #clock: Clock;
  readonly #watched = new Set<MemoryWatched>();
  #cancel: Cancel | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(watched: MemoryWatched): Cancel {
    this.#watched.add(watched);
    this.#cancel ??= this.#clock.schedule(checkEvery, () => void this.#check());
    return () => {
      this.#watched.delete(watched);
      if (this.#watched.size > 0) return;
      this.#cancel?.();
      this.#cancel = undefined;
    };
  }

  async #check(): Promise<void> {
    const table = ProcessTable.read();
    for (const watched of [...this.#watched]) {
      const used = await memoryOfFamily(watched.family, table);
      if (used > watched.limit && this.#watched.has(watched)) watched.onOver(used);
    }
    this.#cancel = this.#watched.size === 0 ? undefined : this.#clock.schedule(checkEvery, () => void this.#check());
  }
}

export async function memoryOfFamily(family: Family, table: ProcessTable): Promise<number> {
  const pids = await pidsOfFamily(family, table);
  return pids.reduce((sum, pid) => sum + memoryOf(pid), 0);
}

export async function pidsOfFamily({ supervisor, cgroup }: Family, table: ProcessTable): Promise<number[]> {
  const inGroup = cgroup === undefined ? [] : await new Cgroup(cgroup).pids();
  return inGroup.length > 0 ? inGroup : table.familyOf(supervisor.pid).map(({ pid }) => pid);
}
