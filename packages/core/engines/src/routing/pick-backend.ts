import type { RouteRule, WeightedBackend } from "./route-table.ts";

/** One backend by its weight; `random` is a number in [0, 1). Nothing when the rule has none, or all weights are zero. */
export function pickBackend({ backends }: RouteRule, random: number): WeightedBackend | undefined {
  const [only] = backends;
  if (backends.length === 1) return only?.weight === 0 ? undefined : only;
  let total = 0;
  for (const { weight } of backends) total += weight;
  let rest = random * total;
  for (const backend of backends) {
    rest -= backend.weight;
    if (rest < 0) return backend;
  }
  return undefined;
}
