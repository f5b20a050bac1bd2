import { readdirSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";

/**
 * Threads to compute with: never all cores. The threads of ggml spin while they wait for each other, so one that shares its core
 * with anything else (the HTTP side, another model) holds up all the others: measured a hundred times slower.
 */
export function computeThreads(asked: number | undefined, cores: number = physicalCores()): number {
  const wanted = asked === undefined || asked <= 0 ? Number.POSITIVE_INFINITY : asked;
  return Math.max(1, Math.min(wanted, cores - 1));
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
