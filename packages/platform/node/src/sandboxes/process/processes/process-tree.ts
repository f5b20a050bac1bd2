import { readdirSync, readFileSync } from "node:fs";
import { type ProcessIdentity, type ProcessStat, statOf } from "./process-identity.ts";

/** All processes of the machine at one moment. */
export class ProcessTable {
  readonly #stats = new Map<number, ProcessStat>();
  readonly #children = new Map<number, ProcessStat[]>();

  constructor(stats: Iterable<ProcessStat>) {
    for (const stat of stats) {
      this.#stats.set(stat.pid, stat);
      const siblings = this.#children.get(stat.parent);
      if (siblings === undefined) this.#children.set(stat.parent, [stat]);
      else siblings.push(stat);
    }
  }

  /** Nothing where the machine has no `/proc`. */
  static read(): ProcessTable {
    const names = process.platform === "linux" ? readdirSync("/proc") : [];
    const pids = names.filter((name) => /^\d+$/.test(name));
    return new ProcessTable(pids.flatMap((pid) => statOf(Number(pid)) ?? []));
  }

  get(pid: number): ProcessStat | undefined {
    return this.#stats.get(pid);
  }

  /** Those in the session or group of this leader, those that were seen to belong there, and all that come from any of them. */
  familyOf(leader: number, observed: Iterable<ProcessIdentity> = []): ProcessStat[] {
    const found = new Set<ProcessStat>();
    const take = (stat: ProcessStat): void => {
      if (found.has(stat)) return;
      found.add(stat);
      for (const child of this.#children.get(stat.pid) ?? []) take(child);
    };
    for (const stat of this.#stats.values()) if (stat.session === leader || stat.group === leader) take(stat);
    for (const { pid, start } of observed) {
      const stat = this.#stats.get(pid);
      if (stat?.start === start) take(stat);
    }
    return [...found].filter(({ state }) => state !== "Z" && state !== "X");
  }
}

/**
 * Memory of a process that the machine cannot take back by itself. Pages of files, such as weights that are mapped, are not counted: they
 * go when others need the room.
 */
export function memoryOf(pid: number): number {
  try {
    const text = readFileSync(`/proc/${pid}/status`, "latin1");
    const kilobytes = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(text)?.[1] ?? 0);
    return (kilobytes("RssAnon") + kilobytes("RssShmem")) * 1024;
  } catch {
    return 0;
  }
}
