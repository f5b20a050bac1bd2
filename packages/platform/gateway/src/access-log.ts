import type { Exchange } from "./http/exchange.ts";

/** One line a request: what was asked and how it went. Nothing of bodies, queries or headers, which hold secrets. */
export function formatAccess(exchange: Exchange, now: Date): string {
  const { request, response, path, target, isGone } = exchange;
  return JSON.stringify({
    time: now.toISOString(),
    client: request.socket.remoteAddress,
    method: request.method,
    path,
    status: isGone && !response.headersSent ? 499 : response.statusCode,
    ...(isGone ? { gone: true } : {}),
    ...(target === undefined ? {} : { target }),
    ms: Math.round((performance.now() - exchange.began) * 10) / 10,
  });
}
