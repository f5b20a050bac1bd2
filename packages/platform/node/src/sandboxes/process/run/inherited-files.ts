import { openSync, readdirSync, readFileSync } from "node:fs";

const closeOnExec = 0o2000000;
let nowhere: number | undefined;
let leaked: readonly number[] | undefined;

/**
 * Standard input and output that lead nowhere, but for the files given here by their number. The same goes for every file that this
 * process was itself given without asking, and that its children would inherit in turn.
 */
export function stdioWith(given: Readonly<Record<number, number | "pipe">>): ("ignore" | "pipe" | number)[] {
  leaked ??= leaks();
  const stdio: ("ignore" | "pipe" | number)[] = [];
  const last = Math.max(2, ...leaked, ...Object.keys(given).map(Number));
  for (let fd = 0; fd <= last; fd += 1) stdio.push(given[fd] ?? (leaked.includes(fd) ? openNowhere() : "ignore"));
  return stdio;
}

function openNowhere(): number {
  nowhere ??= openSync("/dev/null", "r+");
  return nowhere;
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
