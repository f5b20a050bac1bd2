import { readFileSync } from "node:fs";
import { Refusal } from "@trivium/std";

const maxWorkers = 64;

/** How many processes serve: as many as asked for, or one for each CPU of the container's limit, and one where there is none. */
export function workersOf(text: string, limit: () => number | undefined = readCpuLimit): number {
  if (text === "auto") return Math.min(maxWorkers, Math.max(1, Math.floor(limit() ?? 1)));
  const count = /^\d{1,3}$/.test(text) ? Number(text) : Number.NaN;
  if (!(count >= 1 && count <= maxWorkers))
    throw new Refusal(`--workers ${text} is not a number of processes (expected 1 to ${maxWorkers}, or auto)`);
  return count;
}

/** The CPUs that the control group of this process can use; nothing without a limit. */
export function readCpuLimit(read: (file: string) => string | undefined = textOf): number | undefined {
  const [quota, period] = (read("/sys/fs/cgroup/cpu.max") ?? "").trim().split(/\s+/);
  const limit = ratioOf(quota, period);
  if (limit !== undefined) return limit;
  return ratioOf(read("/sys/fs/cgroup/cpu/cpu.cfs_quota_us"), read("/sys/fs/cgroup/cpu/cpu.cfs_period_us"));
}

/** Without a limit the quota is `max` or -1. */
function ratioOf(quota: string | undefined, period: string | undefined): number | undefined {
  const ratio = Number(quota) / Number(period);
  return Number.isFinite(ratio) && ratio > 0 ? ratio : undefined;
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
