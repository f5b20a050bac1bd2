import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Pool } from "undici";
import { parse } from "yaml";
import { ensureBuilt, programFlags } from "../../scripts/toolchain.mjs";

/** A control plane that a measurement started. */
export interface Running {
  readonly home: string;
  /** Milliseconds from the start of the process to its line `ready`. */
  readonly startedIn: number;
  /** Resident memory, in bytes. */
  memory(): number;
  stop(): Promise<void>;
  removeHome(): void;
}

export interface StartOptions {
  readonly flags: readonly string[];
  /** The home of an earlier one; a new one when left out. */
  readonly home?: string;
}

/** Starts what `npm start` starts and resolves when it is ready. */
export async function startTrivium(options: StartOptions): Promise<Running> {
  const program = ensureBuilt();
  const home = options.home ?? mkdtempSync(join(tmpdir(), "trivium-measured-"));
  const began = performance.now();
  const args = [...programFlags, ...options.flags, program, "up", "--home", home, "--port", "0", "--no-demo"];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(child, "exit");
  for await (const line of createInterface({ input: child.stdout })) if (line === "ready") break;
  return {
    home,
    startedIn: performance.now() - began,
    memory: () => memoryOf(child.pid ?? 0),
    stop: async () => {
      child.kill("SIGINT");
      await ended;
    },
    removeHome: () => rmSync(home, { recursive: true, force: true }),
  };
}

function memoryOf(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return Number(kilobytes) * 1024;
}

/** Connections with the certificate that the kubeconfig holds. */
export async function connect(running: Running, connections: number): Promise<Pool> {
  const config = parse(readFileSync(join(running.home, "kubeconfig"), "utf8")) as Kubeconfig;
  const { server, "certificate-authority-data": ca } = config.clusters[0].cluster;
  const { "client-certificate-data": cert, "client-key-data": key } = config.users[0].user;
  const plain = (base64: string): string => Buffer.from(base64, "base64").toString("utf8");
  return new Pool(server, {
    connections,
    connect: { ca: plain(ca), cert: plain(cert), key: plain(key), servername: "localhost" },
    pipelining: 1,
    bodyTimeout: 0,
    headersTimeout: 0,
  });
}

interface Kubeconfig {
  readonly clusters: readonly [
    { readonly cluster: { readonly server: string; readonly "certificate-authority-data": string } },
  ];
  readonly users: readonly [
    { readonly user: { readonly "client-certificate-data": string; readonly "client-key-data": string } },
  ];
}
