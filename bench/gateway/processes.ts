import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface Running {
  readonly port: number;
  readonly pid: number;
  stop(): Promise<void>;
}

/** Starts one of the programs beside this file; it prints the port it listens on. */
export async function startNode(file: string, ...args: string[]): Promise<Running> {
  const path = join(import.meta.dirname, file);
  const child = spawn(process.execPath, [path, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  const port = await new Promise<number>((resolve, reject) => {
    child.stdout.once("data", (line: Buffer) => resolve(Number(line.toString())));
    child.once("exit", () => reject(new Error(`${file} ended before it was ready`)));
  });
  return { port, pid: child.pid as number, stop: () => stop(child) };
}

/** nginx as a proxy in front of a port, or why there is none. */
export async function startNginx(upstream: number): Promise<Running | string> {
  const program = findNginx();
  if (program === undefined) return "skipped: nginx is not installed and could not be";
  const home = mkdtempSync(join(tmpdir(), "trivium-nginx-"));
  const port = await freePort();
  writeFileSync(join(home, "nginx.conf"), configuration(port, upstream));
  const child = spawn(program, ["-p", home, "-c", "nginx.conf", "-e", "error.log"], { stdio: "ignore" });
  await untilOpen(port);
  const end = async () => {
    await stop(child);
    rmSync(home, { recursive: true, force: true });
  };
  return { port, pid: child.pid as number, stop: end };
}

function findNginx(): string | undefined {
  const find = () => ["/usr/sbin/nginx", "/usr/local/sbin/nginx"].find((path) => runs(path, "-v"));
  return (
    find() ?? (process.getuid?.() === 0 && runs("apt-get", "install", "-y", "-qq", "nginx-light") ? find() : undefined)
  );
}

function runs(program: string, ...args: string[]): boolean {
  try {
    execFileSync(program, args, { stdio: "ignore", env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" } });
    return true;
  } catch {
    return false;
  }
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

/** Resident memory in bytes. */
export function memoryOf(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) * 1024;
}
