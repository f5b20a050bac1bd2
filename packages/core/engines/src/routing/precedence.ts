import type { RouteEntry, RouteMatch } from "./route-table.ts";

/**
 * The order in which the Gateway API wants entries tried: the more specific host, the exact path, the longer prefix, a method, more
 * headers, more query parameters; then the older route, then the name, then the place in the route.
 */
export function byPrecedence(a: RouteEntry, b: RouteEntry): number {
  return (
    hostRank(b.hostname) - hostRank(a.hostname) ||
    pathRank(b.match) - pathRank(a.match) ||
    methodRank(b.match) - methodRank(a.match) ||
    countOf(b.match.headers) - countOf(a.match.headers) ||
    countOf(b.match.queryParams) - countOf(a.match.queryParams) ||
    compare(a.created, b.created) ||
    compare(a.rule.route, b.rule.route) ||
    a.place - b.place
  );
}

/** No name is longer than 253 characters, no path than 1,024: kinds are far apart. */
const apart = 10_000;

function hostRank(hostname: string | undefined): number {
  if (hostname === undefined) return 0;
  return hostname.startsWith("*.") ? hostname.length : apart + hostname.length;
}

function pathRank({ path }: RouteMatch): number {
  const value = path?.value ?? "/";
  switch (path?.type ?? "PathPrefix") {
    case "Exact":
      return 2 * apart + value.length;
    case "RegularExpression":
      return apart + value.length;
    default:
      return value.length;
  }
}

const methodRank = (match: RouteMatch): number => (match.method === undefined ? 0 : 1);
const countOf = (list: readonly unknown[] | undefined): number => list?.length ?? 0;
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
