import type { IncomingMessage, ServerResponse } from "node:http";
import type { MetricsAccess } from "./metrics-access.ts";

export interface ServedMetrics {
  readonly registry: { readonly contentType: string; metrics(): Promise<string> };
  /** Who can read metrics: every client that reaches the address, when left out. */
  readonly access?: MetricsAccess | undefined;
}

/** Answers a request for metrics, or says why this client cannot have them. */
export async function serveMetrics(
  { headers }: IncomingMessage,
  response: ServerResponse,
  { registry, access }: ServedMetrics,
): Promise<void> {
  const { status, message } = (await access?.(headers.authorization)) ?? { status: 200, message: "" };
  if (status === 200) {
    response.setHeader("content-type", registry.contentType);
    response.end(await registry.metrics());
    return;
  }
  if (status === 401) response.setHeader("www-authenticate", "Bearer");
  response.writeHead(status, { "content-type": "text/plain; charset=utf-8" }).end(`${message}\n`);
}
