import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** A process, told apart from a later one that was given the same number. */
export interface ProcessIdentity {
  readonly pid: number;
  /** When it began, in whatever way this machine counts that. */
  readonly start: string;
}

/** One line of `/proc/<pid>/stat`. */
export interface ProcessStat extends ProcessIdentity {
  readonly state: string;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** Time on a CPU, in hundredths of a second. */
  readonly ticks: number;
}

/** The name stands in parentheses and may hold any character, so counting begins after the last one. */
export function parseStat(text: string): ProcessStat | undefined {
  const pid = Number.parseInt(text, 10);
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  if (Number.isNaN(pid) || fields.length < 20) return undefined;
  const [state = "", parent, group, session] = fields;
  return {
    pid,
    state,
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    ticks: Number(fields[11]) + Number(fields[12]),
    start: fields[19] ?? "",
  };
}

export function statOf(pid: number): ProcessStat | undefined {
  try {
    return parseStat(readFileSync(`/proc/${pid}/stat`, "latin1"));
  } catch {
    return undefined;
  }
}

/** The process of this number as it is now. One that has ended and was not waited for is none. */
export function identityOf(pid: number): ProcessIdentity | undefined {
  if (process.platform === "linux") {
    const stat = statOf(pid);
    return stat === undefined || stat.state === "Z" || stat.state === "X" ? undefined : stat;
  }
  try {
    const start = execFileSync("/bin/ps", ["-o", "lstart=", "-p", String(pid)], { encoding: "utf8" }).trim();
    return start === "" ? undefined : { pid, start };
  } catch {
    return undefined;
  }
}

export const isAlive = ({ pid, start }: ProcessIdentity): boolean => identityOf(pid)?.start === start;

/** Changes with each start of the machine: numbers of processes from before mean nothing. */
export function bootId(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim();
  } catch {
    return execFileSync("/usr/sbin/sysctl", ["-n", "kern.boottime"], { encoding: "utf8" }).trim();
  }
}
