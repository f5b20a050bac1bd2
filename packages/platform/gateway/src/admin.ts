import { createServer, type IncomingMessage, type Server } from "node:http";
import type { MetricsAccess } from "@trivium/client";
import { isHostAllowed, type WebAccess } from "@trivium/std";
import { Registry } from "prom-client";

export interface AdminOptions {
  readonly web: WebAccess;
  /** Who can read metrics: every client that reaches the address, when left out. */
  readonly readers?: MetricsAccess | undefined;
  readonly isReady?: () => boolean;
}

async function refusalOf({ headers }: IncomingMessage, readers: MetricsAccess | undefined) {
  const answer = await readers?.(headers.authorization);
  return answer === undefined || answer.status === 200 ? undefined : answer;
}

/** What is for those who run the gateway and not for those who use it, on an address of its own. */
export function openAdmin(metrics: () => Promise<string>, { web: access, readers, isReady }: AdminOptions): Server {
  return createServer(async (request, response) => {
    // Figures are no business of web pages.
    if (request.headers.origin !== undefined || !isHostAllowed(request.headers.host ?? "localhost", access))
      return void response.writeHead(403).end();
    const path = request.url?.split("?", 1)[0];
    if (path === "/readyz" && isReady?.() === false)
      return void response.writeHead(503, { "content-type": "text/plain" }).end("no worker is ready\n");
    if (path === "/healthz" || path === "/readyz")
      return void response.writeHead(200, { "content-type": "text/plain" }).end("ok\n");
    if (path !== "/metrics") return void response.writeHead(404).end();
    const refusal = await refusalOf(request, readers);
    if (refusal !== undefined)
      return void response.writeHead(refusal.status, { "content-type": "text/plain" }).end(`${refusal.message}\n`);
    const text = await metrics();
    response.writeHead(200, { "content-type": Registry.PROMETHEUS_CONTENT_TYPE }).end(text);
  });
}
