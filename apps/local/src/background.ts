import { spawn, spawnSync } from "node:child_process";
import { closeSync, existsSync, openSync, readFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Refusal } from "@trivium/std";
import { openHome, type RunRecord } from "./home.ts";
import { defaultGatewayPort, defaultPort } from "./options.ts";

/** How long a start or a stop may take on a busy machine. */
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
  const words = existsSync("/proc/self/cmdline")
    ? readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0")
    : spawnSync("ps", ["-o", "args=", "-p", String(pid)], { encoding: "utf8" }).stdout.split(/\s+/);
  return words.includes("up");
}

export interface BackgroundStart {
  readonly home: string;
  /** Words after `trivium up`, besides the home. */
  readonly args: readonly string[];
  /** The command line of `trivium`. */
  readonly program: readonly string[];
}

/** Where the lines of a control plane in the background go. */
export const backgroundLog = (home: string): string => join(home, "up.log");

/** Starts the control plane as a process of its own, which goes on when this one ends; resolves when it serves. */
export async function startInBackground({ home, args, program }: BackgroundStart): Promise<RunRecord> {
  const { path } = openHome(home);
  const log = openSync(backgroundLog(path), "w", 0o600);
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
  for (const end = Date.now() + patience; Date.now() < end; await sleep(step)) {
    const record = findRunning(path);
    if (record !== undefined && record.pid === child.pid) return record;
    if (exit !== undefined) throw new Refusal(`the control plane did not start: ${lastLine(path)}`);
  }
  throw new Refusal(`the control plane did not start within ${patience / 1000}s; see ${backgroundLog(path)}`);
}

const lastLine = (home: string): string =>
  readFileSync(backgroundLog(home), "utf8")
    .trim()
    .split("\n")
    .at(-1)
    ?.replace(/^error: /, "") ?? "no output";

/** Asks the control plane of a home to stop and waits until it has. Nothing is returned where none runs. */
export async function stopRunning(home: string): Promise<RunRecord | undefined> {
  const record = findRunning(home);
  if (record === undefined) return undefined;
  process.kill(record.pid, "SIGTERM");
  for (const end = Date.now() + patience; Date.now() < end; await sleep(step)) if (!isAlive(record.pid)) return record;
  throw new Refusal(`process ${record.pid} did not stop within ${patience / 1000}s`);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** The usual ports, or any free ones where another program has them: who types `run` did not choose them. */
export async function freePorts(): Promise<string[]> {
  const [api, gateway] = await Promise.all([defaultPort, defaultGatewayPort].map(isTaken));
  return [...(api ? ["--port", "0"] : []), ...(gateway ? ["--gateway-port", "0"] : [])];
}

function isTaken(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port });
    const end = (taken: boolean) => {
      socket.destroy();
      resolve(taken);
    };
    socket.once("connect", () => end(true));
    socket.once("error", () => end(false));
  });
}
