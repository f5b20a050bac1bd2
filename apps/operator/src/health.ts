import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type MetricsAccess, serveMetrics } from "@trivium/client";
import { Refusal } from "@trivium/std";
import type { Registry } from "prom-client";
import { type Address, formatAddress } from "./options/address.ts";

export interface HealthOptions {
  readonly registry: Registry;
  /** Why work cannot be done or taken over yet; undefined once the caches are filled. */
  pending(): string | undefined;
  /** Who can read metrics: every client that reaches the address, when left out. */
  readonly access?: MetricsAccess;
}

export interface HealthServer {
  /** `127.0.0.1:9440` */
  readonly address: string;
  close(): Promise<void>;
}

/** For kubelet and Prometheus: whether the process lives, whether it can work, and what it counts. */
export async function serveHealth(address: Address, options: HealthOptions): Promise<HealthServer> {
  const server = createServer((request, response) => void answer(request, response, options));
  await listen(server, address);
  const { port } = server.address() as AddressInfo;
  return { address: formatAddress({ host: address.host, port }), close: () => close(server) };
}

async function answer(request: IncomingMessage, response: ServerResponse, options: HealthOptions): Promise<void> {
  if (request.method !== "GET" && request.method !== "HEAD") return say(response, 405, "method not allowed; use GET");
  switch (request.url?.split("?", 1)[0]) {
    case "/healthz":
      return say(response, 200, "ok");
    case "/readyz":
      return answerReady(response, options.pending());
    case "/metrics":
      return serveMetrics(request, response, options);
    default:
      return say(response, 404, "not found; available: /healthz, /readyz, /metrics");
  }
}

const answerReady = (response: ServerResponse, pending: string | undefined): void =>
  pending === undefined ? say(response, 200, "ok") : say(response, 503, pending);

function say(response: ServerResponse, code: number, text: string): void {
  response.writeHead(code, { "content-type": "text/plain; charset=utf-8" }).end(`${text}\n`);
}

function listen(server: Server, { host, port }: Address): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      const where = formatAddress({ host, port });
      reject(
        new Refusal(`cannot listen on ${where} (${error.code}); choose another address with --listen, or turn it off`),
      );
    });
    server.listen({ host, port }, resolve);
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
