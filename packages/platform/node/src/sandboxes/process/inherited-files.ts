import type { StdioOptions } from "node:child_process";
import { openSync, readdirSync, readFileSync } from "node:fs";

const closeOnExec = 0o2000000;
let nowhere: number | undefined;
let known: StdioOptions | undefined;

/**
 * Standard input and output that lead nowhere, and the same for every file that this process was itself given without asking and that
 * its children would inherit in turn.
 */
export function stdioWithoutLeaks(): StdioOptions {
  known ??= stdioOver(leaks());
  return known;
}

function stdioOver(leaked: readonly number[]): StdioOptions {
  const stdio: ("ignore" | number)[] = ["ignore", "ignore", "ignore"];
  for (const fd of leaked) {
    nowhere ??= openSync("/dev/null", "r+");
    while (stdio.length < fd) stdio.push("ignore");
    stdio[fd] = nowhere;
  }
  return stdio;
}

function leaks(): number[] {
  if (process.platform !== "linux") return [];
  return readdirSync("/proc/self/fd")
    .map(Number)
    .sort((a, b) => a - b)
    .filter((fd) => fd > 2 && fd < 1_024 && isInherited(fd));
}

function isInherited(fd: number): boolean {
  try {
    const [, flags = "0"] = /^flags:\s+(\d+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, "latin1")) ?? [];
    return (Number.parseInt(flags, 8) & closeOnExec) === 0;
  } catch {
    return false;
  }
}
