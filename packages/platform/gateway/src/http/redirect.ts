import { type RouteFilter, type RouteMatch, rewritePath } from "@trivium/engines";
import type { Exchange } from "./exchange.ts";

type Redirection = NonNullable<RouteFilter["requestRedirect"]>;

/** Sends the client elsewhere, keeping what the filter does not change. */
export function redirect(
  exchange: Exchange,
  { scheme, hostname, port, path, statusCode }: Redirection,
  match: RouteMatch,
): void {
  const host = exchange.request.headers.host ?? "";
  const [, name = "", ownPort] = /^(.*?)(?::(\d+))?$/.exec(host) ?? [];
  const target = rewritePath(exchange.path, path, match);
  const query = exchange.query === "" ? "" : `?${exchange.query}`;
  const location = `${scheme ?? "http"}://${hostname ?? name}${portOf(scheme, port, ownPort)}${target}${query}`;
  exchange.response.writeHead(statusCode ?? 302, { location, "content-length": 0 });
  exchange.response.end();
}

/** With a scheme of its own a redirect goes to that scheme's port; ports that go without saying are not said. */
function portOf(scheme: string | undefined, port: number | undefined, own: string | undefined): string {
  const chosen = port ?? (scheme === undefined ? Number(own ?? 80) : scheme === "https" ? 443 : 80);
  return chosen === (scheme === "https" ? 443 : 80) ? "" : `:${chosen}`;
}
