import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type MetricsAccess, serveMetrics } from "@trivium/client";
import { Refusal } from "@trivium/std";
import type { Registry } from "prom-client";

export interface HealthOptions {
  readonly host: string;
  readonly port: number;
  readonly registry: Registry;
  /** Where models are brought to. */
  readonly root: string;
  findObstacle(): string | undefined;
  /** Who can read metrics: every client that reaches the address, when left out. */
  readonly access?: MetricsAccess | undefined;
}

export interface HealthServer {
  readonly url: string;
  close(): Promise<void>;
}

/** For kubelet and Prometheus: `/livez` it lives, `/healthz` it can write models, `/readyz` it can work, `/metrics`. */
export async function serveHealth(options: HealthOptions): Promise<HealthServer> {
  const server = createServer((request, response) => void answer(request, response, options));
  await listen(server, options);
  const { port } = server.address() as AddressInfo;
  const host = options.host.includes(":") ? `[${options.host}]` : options.host;
  return { url: `http://${host}:${port}`, close: () => close(server) };
}

async function answer(request: IncomingMessage, response: ServerResponse, options: HealthOptions): Promise<void> {
  switch (request.url?.split("?", 1)[0]) {
    case "/livez":
      return say(response, undefined);
    case "/healthz":
      return say(response, await rootProblem(options.root));
    case "/readyz":
      return say(response, options.findObstacle() ?? (await rootProblem(options.root)));
    case "/metrics":
      return serveMetrics(request, response, options);
    default:
      response.writeHead(404).end("not found; available: /livez, /healthz, /readyz, /metrics\n");
  }
}

function say(response: ServerResponse, problem: string | undefined): void {
  response.writeHead(problem === undefined ? 200 : 503, { "content-type": "text/plain; charset=utf-8" });
  response.end(`${problem ?? "ok"}\n`);
}

/** Why no model can be brought to a folder. */
export async function rootProblem(root: string): Promise<string | undefined> {
  const found = await stat(root).catch(() => undefined);
  if (found === undefined) return `${root} does not exist`;
  if (!found.isDirectory()) return `${root} is not a folder`;
  const isWritable = await access(root, constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  );
  return isWritable ? undefined : `${root} is not writable`;
}

function listen(server: Server, { host, port }: Pick<HealthOptions, "host" | "port">): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) =>
      reject(
        new Refusal(`cannot listen on ${host} port ${port} (${error.code}); choose another port with --health-port`),
      ),
    );
    server.listen({ host, port }, resolve);
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
