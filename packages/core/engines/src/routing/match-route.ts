import { faultOfPattern, matcherOf } from "@trivium/schema";
import { byPrecedence } from "./precedence.ts";
import type { MatchedRoute, RouteEntry, RouteMatch, RouteRequest } from "./route-table.ts";

type Test = (request: RouteRequest) => boolean;

interface ReadyEntry {
  readonly entry: RouteEntry;
  readonly fits: Test;
}

/** Entries in the order they are tried, apart by kind of host so that a request meets only those it could match. */
export class RouteTable {
  readonly #byHost = new Map<string, ReadyEntry[]>();
  readonly #byWildcard: ReadyEntry[] = [];
  readonly #anyHost: ReadyEntry[] = [];
  readonly size: number;

  constructor(entries: readonly RouteEntry[]) {
    this.size = entries.length;
    for (const entry of entries.toSorted(byPrecedence)) {
      const ready = { entry, fits: testOf(entry.match) };
      if (entry.hostname === undefined) this.#anyHost.push(ready);
      else if (entry.hostname.startsWith("*.")) this.#byWildcard.push(ready);
      else this.#exact(entry.hostname.toLowerCase()).push(ready);
    }
  }

  match(request: RouteRequest): MatchedRoute | undefined {
    if (this.size === 0) return undefined;
    return (
      firstFit(this.#byHost.get(request.host), request) ??
      firstFit(this.#byWildcard, request) ??
      firstFit(this.#anyHost, request)
    );
  }

  /** Whether a route names this host: whoever wrote it wants to be reached by it. */
  hasHost(host: string): boolean {
    return this.#byHost.has(host) || this.#byWildcard.some(({ entry }) => isHostOf(entry.hostname, host));
  }

  #exact(hostname: string): ReadyEntry[] {
    const found = this.#byHost.get(hostname);
    if (found !== undefined) return found;
    const made: ReadyEntry[] = [];
    this.#byHost.set(hostname, made);
    return made;
  }
}

function firstFit(entries: readonly ReadyEntry[] | undefined, request: RouteRequest): MatchedRoute | undefined {
  for (const { entry, fits } of entries ?? []) {
    if (isHostOf(entry.hostname, request.host) && fits(request)) return { rule: entry.rule, entry };
  }
  return undefined;
}

/** `*.example.com` stands for any number of labels, but not for none. */
export function isHostOf(hostname: string | undefined, host: string): boolean {
  if (hostname === undefined) return true;
  if (!hostname.startsWith("*.")) return hostname.toLowerCase() === host;
  return host.length > hostname.length - 1 && host.endsWith(hostname.slice(1).toLowerCase());
}

function testOf(match: RouteMatch): Test {
  const tests = [pathTest(match), ...methodTest(match), ...headerTests(match), ...queryTests(match)];
  return (request) => tests.every((test) => test(request));
}

function pathTest({ path }: RouteMatch): Test {
  const value = path?.value ?? "/";
  switch (path?.type ?? "PathPrefix") {
    case "Exact":
      return (request) => request.path === value;
    case "RegularExpression": {
      const fits = patternTest(value);
      return (request) => fits(request.path);
    }
    default:
      return (request) => isPrefix(value, request.path);
  }
}

/** A prefix ends where a segment ends: `/abc` is a prefix of `/abc/` and `/abc/d`, not of `/abcd`. */
export function isPrefix(prefix: string, path: string): boolean {
  const bare = prefix.endsWith("/") ? prefix.slice(0, -1) : prefix;
  return path.startsWith(bare) && (path.length === bare.length || path[bare.length] === "/");
}

function methodTest({ method }: RouteMatch): Test[] {
  return method === undefined ? [] : [(request) => request.method === method];
}

/** Of several conditions on one header the first counts. */
function headerTests({ headers = [] }: RouteMatch): Test[] {
  return firstOfEach(headers, (name) => name.toLowerCase()).map(({ name, type, value }) => {
    const key = name.toLowerCase();
    const fits = valueTest(type, value);
    return (request) => {
      const found = request.header(key);
      return found !== undefined && fits(found);
    };
  });
}

function queryTests({ queryParams = [] }: RouteMatch): Test[] {
  return firstOfEach(queryParams, (name) => name).map(({ name, type, value }) => {
    const fits = valueTest(type, value);
    return (request) => {
      const found = request.query === "" ? null : new URLSearchParams(request.query).get(name);
      return found !== null && fits(found);
    };
  });
}

function firstOfEach<T extends { readonly name: string }>(list: readonly T[], keyOf: (name: string) => string): T[] {
  const seen = new Set<string>();
  return list.filter(({ name }) => !seen.has(keyOf(name)) && seen.add(keyOf(name)));
}

function valueTest(type: string | undefined, value: string): (found: string) => boolean {
  return type === "RegularExpression" ? patternTest(value) : (found) => found === value;
}

/** Patterns come from strangers: they are matched in bounded time, against the whole value. One that cannot be read matches nothing. */
function patternTest(pattern: string): (text: string) => boolean {
  const whole = `^(?:${pattern})$`;
  if (faultOfPattern(whole) !== undefined) return () => false;
  const matcher = matcherOf(whole);
  return (text) => matcher.test(text);
}
