import type { Rank } from "./rules.ts";

/** Where a candidate stands in a rank; lower is better. */
export function placeIn<C>(rank: Rank<C>): (candidate: C) => number {
  if ("value" in rank) {
    const sign = rank.best === "lowest" ? 1 : -1;
    return (candidate) => sign * rank.value(candidate);
  }
  const places = new Map(rank.order.map((value, at) => [value, at]));
  return (candidate) => places.get((rank.read(candidate) ?? "").toLowerCase()) ?? rank.order.length;
}

/** What a person sees of it. */
export function valueIn<C>(rank: Rank<C>, candidate: C): string {
  if (!("value" in rank)) return rank.read(candidate) || "none";
  const value = rank.value(candidate);
  return Number.isFinite(value) ? String(value) : "none";
}
