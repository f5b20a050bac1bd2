import { spawn } from "node:child_process";
import { existsSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A process of the cluster, and what it must look like to be ours still. */
interface Started {
  readonly name: string;
  readonly pid: number;
  readonly program: string;
}

const listOf = (folder: string): string => join(folder, "processes.json");

function readStarted(folder: string): Started[] {
  return existsSync(listOf(folder)) ? (JSON.parse(readFileSync(listOf(folder), "utf8")) as Started[]) : [];
}

/** Starts a program that outlives us, with its log in the folder, and remembers it there. */
export function startProcess(folder: string, name: string, program: string, args: readonly string[]): number {
  const log = openSync(join(folder, `${name}.log`), "a", 0o600);
  const child = spawn(program, args, { cwd: folder, detached: true, stdio: ["ignore", log, log] });
  child.unref();
  if (child.pid === undefined) throw new Error(`${program} could not be started`);
  const started = [...readStarted(folder), { name, pid: child.pid, program }];
  writeFileSync(listOf(folder), JSON.stringify(started, undefined, 2));
  return child.pid;
}

/** Whether the process is there and is the program we started: numbers of processes are used again. */
function isOurs({ pid, program }: Started): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0")[0] === program;
  } catch {
    return false;
  }
}

export function isRunning(folder: string, name: string): boolean {
  return readStarted(folder).some((each) => each.name === name && isOurs(each));
}

/** Ends the named processes, or all, newest first, and waits until they are gone. Never touches what it did not start. */
export async function stopProcesses(
  folder: string,
  name?: string,
  signal: NodeJS.Signals = "SIGTERM",
): Promise<string[]> {
  const started = readStarted(folder);
  const wanted = started.filter((each) => name === undefined || each.name === name).reverse();
  const ours = wanted.filter(isOurs);
  for (const { pid } of ours) process.kill(pid, signal);
  for (const each of ours) await gone(each);
  const left = started.filter((each) => !wanted.includes(each));
  if (left.length > 0) writeFileSync(listOf(folder), JSON.stringify(left, undefined, 2));
  else rmSync(listOf(folder), { force: true });
  return ours.map((each) => each.name);
}

async function gone(each: Started): Promise<void> {
  const deadline = Date.now() + 5_000;
  while (isOurs(each)) {
    if (Date.now() > deadline) process.kill(each.pid, "SIGKILL");
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Ends one process and gives back what starts it again exactly as it was: for tests of what must survive it. */
export async function interruptProcess(
  folder: string,
  name: string,
  signal: NodeJS.Signals = "SIGTERM",
): Promise<() => number> {
  const interrupted = readStarted(folder).find((each) => each.name === name && isOurs(each));
  if (interrupted === undefined) throw new Error(`${name} does not run in ${folder}`);
  const [, ...args] = readFileSync(`/proc/${interrupted.pid}/cmdline`, "utf8").split("\0").slice(0, -1);
  await stopProcesses(folder, name, signal);
  return () => startProcess(folder, name, interrupted.program, args);
}
