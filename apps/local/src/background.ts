import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Refusal } from "@trivium/std";
import { openHome, type RunRecord } from "./home.ts";

/** How long a start or a stop may take on a busy machine; docs/internals/decisions/0032 has why it is polled. */
const patience = 120_000;
const step = 100;

/** The control plane that runs in a home, if one does. */
export function findRunning(home: string): RunRecord | undefined {
  try {
    const record = JSON.parse(readFileSync(join(home, "run.json"), "utf8")) as RunRecord;
    return isControlPlane(record.pid) ? record : undefined;
  } catch {
    return undefined;
  }
}

/** After a kill -9 the record stays, and another program may have got its process id since: that one is not ours to stop. */
function isControlPlane(pid: number): boolean {
  process.kill(pid, 0);
  return commandLineOf(pid).includes("up");
}

function commandLineOf(pid: number): string[] {
  if (existsSync("/proc/self/cmdline")) return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
  return spawnSync("ps", ["-o", "args=", "-p", String(pid)], { encoding: "utf8" }).stdout.split(/\s+/);
}

/** The words after `trivium up` that a control plane was started with, besides its home: a restart uses them again. */
export function startOptionsOf({ pid }: RunRecord): string[] {
  const words = commandLineOf(pid).filter((word) => word !== "");
  const given = words.slice(words.indexOf("up") + 1);
  return given.filter((word, at) => word !== "--home" && given[at - 1] !== "--home" && !word.startsWith("--home="));
}

export interface BackgroundStart {
  readonly home: string;
  /** Words after `trivium up`, besides the home. */
  readonly args: readonly string[];
  /** The command line of `trivium`. */
  readonly program: readonly string[];
  /** Stops the start. */
  readonly signal: AbortSignal;
}

/** Where the lines of a control plane in the background go. */
export const backgroundLog = (home: string): string => join(home, "up.log");

/**
 * Starts the control plane as a process of its own, which goes on when this one ends; resolves when it serves. Where another one
 * starts in the same home at the same moment, that one is taken. A start that is stopped leaves no process behind, and returns nothing.
 */
export async function startInBackground(start: BackgroundStart): Promise<RunRecord | undefined> {
  const { home, args, program, signal } = start;
  const { path, data } = openHome(home);
  if (holderOf(data) === undefined) writeFileSync(backgroundLog(path), "", { mode: 0o600 });
  const log = openSync(backgroundLog(path), "a", 0o600);
  const [command = "", ...words] = program;
  const child = spawn(command, [...words, "up", "--home", path, ...args], {
    detached: true,
    stdio: ["ignore", log, log],
  });
  closeSync(log);
  let exit: number | undefined;
  child.on("error", () => {
    exit = 1;
  });
  child.on("exit", (code) => {
    exit = code ?? 1;
  });
  child.unref();
  for (const end = Date.now() + patience; Date.now() < end; await pause(signal)) {
    const record = findRunning(path);
    if (record !== undefined && (record.pid === child.pid || exit !== undefined)) return record;
    if (signal.aborted) return exit === undefined ? endOf(child) : undefined;
    if (exit !== undefined && holderOf(data) === undefined)
      throw new Refusal(`the control plane did not start: ${lastLine(path)}`);
  }
  throw new Refusal(`the control plane did not start within ${patience / 1000}s; see ${backgroundLog(path)}`);
}

async function endOf(child: ChildProcess): Promise<undefined> {
  child.ref();
  child.kill("SIGTERM");
  await once(child, "exit");
}

const pause = (signal: AbortSignal): Promise<void> => sleep(step, undefined, { signal }).catch(() => undefined);

/** The process of the control plane of a home, if one runs, starts or stops. */
export const findStarted = (home: string): number | undefined =>
  findRunning(home)?.pid ?? holderOf(join(resolve(home), "data"));

/** Who runs on this data, or is about to. */
function holderOf(data: string): number | undefined {
  try {
    const { pid } = JSON.parse(readFileSync(join(data, "holder.json"), "utf8")) as { pid: number };
    return isControlPlane(pid) ? pid : undefined;
  } catch {
    return undefined;
  }
}

const lastLine = (home: string): string =>
  readFileSync(backgroundLog(home), "utf8")
    .trim()
    .split("\n")
    .at(-1)
    ?.replace(/^error: /, "") ?? "no output";

/** Asks the control plane of a home to stop, also one that still starts, and waits until it has. Returns its process; nothing where none runs. */
export async function stopRunning(home: string): Promise<number | undefined> {
  const pid = findStarted(home);
  if (pid === undefined) return undefined;
  process.kill(pid, "SIGTERM");
  for (const end = Date.now() + patience; Date.now() < end; await sleep(step)) if (!isAlive(pid)) return pid;
  throw new Refusal(`process ${pid} did not stop within ${patience / 1000}s`);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
