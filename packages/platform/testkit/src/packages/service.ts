import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { type AddressInfo, connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** A server that runs on this machine until it is stopped. */
export interface Service {
  readonly is: "running";
  readonly host: string;
  readonly port: number;
  readonly pid: number;
  /** Its own folder, gone when it is stopped. */
  readonly folder: string;
  stop(): Promise<void>;
}

export interface ServicePlan {
  readonly program: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** The address that it listens on; loopback when left out. */
  readonly host?: string;
  /** Writes what the program needs into its folder and says how to call it. */
  prepare(place: { readonly folder: string; readonly port: number }): Promise<readonly string[]>;
}

const loopback = "127.0.0.1";

/** A free port is known only for a moment; whoever loses the race tries the next one. */
const tries = 3;

/** Only a program that never answers takes that long. */
const patience = 90_000;

/** Starts a program in the foreground, with a folder and a port of its own, and waits until it answers. */
export async function startService(plan: ServicePlan): Promise<Service> {
  for (let left = tries; ; left--) {
    const service = await startOnce(plan);
    if (!(service instanceof Error)) return service;
    if (left === 1) throw service;
  }
}

async function startOnce(plan: ServicePlan): Promise<Service | Error> {
  const folder = await mkdtemp(join(tmpdir(), "trivium-service-"));
  const { host = loopback } = plan;
  const port = await freePort(host);
  const args = await plan.prepare({ folder, port });
  const env = { PATH: process.env.PATH ?? "", HOME: folder, ...plan.environment };
  const child = spawn(plan.program, args, { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const reported = tailOf(child);
  const killNow = () => child.kill("SIGKILL");
  // A test process that ends in the middle takes the server with it.
  process.once("exit", killNow);
  const stop = async (): Promise<void> => {
    process.off("exit", killNow);
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGTERM");
    const late = setTimeout(killNow, 3_000);
    await ended;
    clearTimeout(late);
    await rm(folder, { recursive: true, force: true });
  };
  if (await answers(child, { host, port })) return { is: "running", host, port, pid: child.pid ?? 0, folder, stop };
  await stop();
  return new Error(`${plan.program} does not answer on port ${port}: ${reported()}`);
}

interface Place {
  readonly host: string;
  readonly port: number;
}

async function answers(child: ChildProcess, place: Place): Promise<boolean> {
  let hasEnded = false;
  child.once("close", () => {
    hasEnded = true;
  });
  child.once("error", () => {
    hasEnded = true;
  });
  for (const end = Date.now() + patience; Date.now() < end && !hasEnded; ) {
    if (await canConnect(place)) return !hasEnded;
    await sleep(10);
  }
  return false;
}

function canConnect({ host, port }: Place): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, host);
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });
}

function tailOf(child: ChildProcess): () => string {
  let text = "";
  for (const stream of [child.stdout, child.stderr])
    stream?.on("data", (chunk) => {
      text = (text + chunk).slice(-2_000);
    });
  return () => text.trim() || "it said nothing";
}

export async function freePort(host: string = loopback): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
