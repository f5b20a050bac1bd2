import type { RouteFilter } from "@trivium/engines";

type Change = NonNullable<RouteFilter["requestHeaderModifier"]>;

/** Headers of a request or a response after the filters of a route: set, add, remove, in the order of the filters. */
export function changeHeaders(headers: string[], changes: readonly Change[]): string[] {
  let changed = headers;
  for (const { set = [], add = [], remove = [] } of changes) {
    const gone = new Set([...set.map(({ name }) => name), ...remove].map((name) => name.toLowerCase()));
    const kept: string[] = [];
    for (let at = 0; at < changed.length; at += 2) {
      if (!gone.has((changed[at] as string).toLowerCase())) kept.push(changed[at] as string, changed[at + 1] as string);
    }
    const dropped = new Set(remove.map((name) => name.toLowerCase()));
    for (const { name, value } of set) if (!dropped.has(name.toLowerCase())) kept.push(name, value);
    for (const { name, value } of add) if (!dropped.has(name.toLowerCase())) kept.push(name, value);
    changed = kept;
  }
  return changed;
}
