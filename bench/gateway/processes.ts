import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { debianPackages, programOf } from "@trivium/testkit";

/** A process that a measurement started, and the first line it printed. */
export interface Started {
  readonly line: string;
  readonly pid: number;
  stop(): Promise<void>;
}

export interface Running {
  readonly port: number;
  readonly pid: number;
  stop(): Promise<void>;
}

/** Starts one of the programs beside this file. */
export const startNode = (file: string, ...args: string[]): Promise<Started> =>
  start([join(import.meta.dirname, file), ...args]);

/** Starts a bundle of the gateway with the flags that `trivium up` gives it; `extra` are flags of Node. */
export async function startGateway(
  bundle: string,
  kubeconfig: string,
  extra: readonly string[],
  workers = "1",
): Promise<Running> {
  const flags = ["--max-semi-space-size=8", ...extra];
  const started = await start([...flags, bundle, "--kubeconfig", kubeconfig, "--port", "0", "--workers", workers]);
  const url = /^ready: (\S+)/.exec(started.line)?.[1];
  if (url === undefined) throw new Error(`unexpected first line of the gateway: ${started.line}`);
  return { port: Number(new URL(url).port), pid: started.pid, stop: started.stop };
}

async function start(args: readonly string[]): Promise<Started> {
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout });
  const line = await new Promise<string>((resolve, reject) => {
    lines.once("line", resolve);
    child.once("exit", () => reject(new Error(`${args.join(" ")} exited before it was ready`)));
  });
  return { line, pid: child.pid as number, stop: () => stop(child) };
}

/** nginx as a proxy in front of a port, or why it is not available. */
export async function startNginx(upstream: number): Promise<Running | string> {
  const packages = await debianPackages("nginx");
  if (packages.is === "missing") return `skipped: ${packages.why}`;
  const home = mkdtempSync(join(tmpdir(), "trivium-nginx-"));
  const port = await freePort();
  writeFileSync(join(home, "nginx.conf"), configuration(port, upstream));
  const child = spawn(programOf(packages, "nginx"), ["-p", home, "-c", "nginx.conf", "-e", "error.log"], {
    stdio: "ignore",
    env: { ...process.env, ...packages.environment },
  });
  await untilOpen(port);
  const end = async () => {
    await stop(child);
    rmSync(home, { recursive: true, force: true });
  };
  return { port, pid: child.pid as number, stop: end };
}

const configuration = (port: number, upstream: number): string => `
daemon off; master_process off; pid nginx.pid; worker_processes 1;
events { worker_connections 1024; }
http {
  access_log off; client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path f; uwsgi_temp_path u; scgi_temp_path s;
  keepalive_requests 10000000;
  upstream model { server 127.0.0.1:${upstream}; keepalive 64; keepalive_requests 10000000; }
  server {
    listen 127.0.0.1:${port};
    location / { proxy_pass http://model; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_buffering off; }
  }
}
`;

async function untilOpen(port: number): Promise<void> {
  for (let round = 0; round < 100; round += 1) {
    const isOpen = await new Promise<boolean>((resolve) => {
      const socket = connect(port, "127.0.0.1", () => resolve(socket.destroy() !== undefined));
      socket.once("error", () => resolve(false));
    });
    if (isOpen) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error("nginx did not start");
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}

function stop(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null) return resolve();
    child.once("exit", () => resolve());
    child.kill();
  });
}
