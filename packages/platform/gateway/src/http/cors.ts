import type { OutgoingHttpHeaders } from "node:http";
import type { Exchange } from "./exchange.ts";

/** A browser asks in advance whether a page may send a request; such a question never carries a key. */
export function isPreflight({ request }: Exchange): boolean {
  const { origin, "access-control-request-method": method } = request.headers;
  return request.method === "OPTIONS" && origin !== undefined && method !== undefined;
}

/** Lets the page that asked read the answer. Its origin was judged before. */
export function allowOrigin({ request, response }: Exchange): void {
  const { origin } = request.headers;
  if (origin === undefined) return;
  response.setHeader("access-control-allow-origin", origin);
  response.setHeader("access-control-expose-headers", "*");
  response.setHeader("vary", "Origin");
}

export function answerPreflight(exchange: Exchange): void {
  allowOrigin(exchange);
  const wanted = exchange.request.headers["access-control-request-headers"];
  const headers: OutgoingHttpHeaders = {
    "access-control-allow-methods": "GET, HEAD, POST, OPTIONS",
    "access-control-max-age": "600",
    "content-length": 0,
  };
  if (wanted !== undefined) headers["access-control-allow-headers"] = wanted;
  // 200, because some older clients take nothing else.
  exchange.response.writeHead(200, headers);
  exchange.response.end();
}

/** Who may read the answer of a model is said by the gateway; what a model server says of it is dropped. */
export const isForeignCors = (name: string): boolean => name.startsWith("access-control-");
