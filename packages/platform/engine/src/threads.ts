import { readdirSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";

export interface Cores {
  /** Cores rather than hyperthreads. */
  readonly physical: number;
  /** What this process may use at once. */
  readonly logical: number;
}

/**
 * Threads to compute with: as many as were requested, but not more than can run at once; else all cores but one. The threads of
 * ggml spin while they wait for each other, so one that shares its core with anything else (the HTTP side, another model) holds
 * up all the others: measured a hundred times slower.
 */
export function computeThreads(requested: number | undefined, { physical, logical }: Cores = coresOfMachine()): number {
  if (requested === undefined || requested <= 0) return Math.max(1, Math.min(physical, logical) - 1);
  return Math.min(requested, logical);
}

function coresOfMachine(): Cores {
  return { physical: physicalCores(), logical: availableParallelism() };
}

/** Cores rather than hyperthreads, as far as this process may use them. */
export function physicalCores(): number {
  return Math.min(coresOfSysfs() ?? Number.POSITIVE_INFINITY, availableParallelism());
}

function coresOfSysfs(): number | undefined {
  const folder = "/sys/devices/system/cpu";
  try {
    const siblings = readdirSync(folder)
      .filter((name) => /^cpu\d+$/.test(name))
      .map((name) => readFileSync(`${folder}/${name}/topology/thread_siblings_list`, "utf8").trim());
    return siblings.length === 0 ? undefined : new Set(siblings).size;
  } catch {
    return undefined;
  }
}
