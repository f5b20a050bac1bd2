import { formatQuantity } from "@trivium/std";
import { formatMemory } from "../sizing/summarize-memory.ts";

/** Cached weights as far as a budget is concerned. */
export interface CacheWeight {
  readonly name: string;
  /** Size of the weights, or of the claim for them; undefined while the size is unknown. */
  readonly bytes?: number;
  /** `holds`: it uses space. `wants`: it waits for space. `leaves`: it is being deleted, and frees its space. */
  readonly is: "holds" | "wants" | "leaves";
  /** Undefined where no budget applies to it. */
  readonly budget?: number;
  /** When it was last used, or created if it never was. */
  readonly lastUsed: string;
  readonly createdAt: string;
  /** Why it cannot be deleted. */
  readonly pinnedBy?: string;
}

/** What a cache that waits for space gets. */
export type SpaceGrant =
  | { readonly is: "granted" }
  /** Other weights are deleted first. */
  | { readonly is: "making"; readonly why: string }
  | { readonly is: "refused"; readonly why: string };

export interface SpacePlan {
  readonly spaces: ReadonlyMap<string, SpaceGrant>;
  /** Those that are deleted, each with the one that needs the space. */
  readonly evicted: ReadonlyMap<string, string>;
}

/** What messages call the caches, and what raises their budget. */
export interface SpaceTerms {
  readonly namespace: string;
  /** Kind of the objects that the names are of. */
  readonly kind: string;
  readonly remedy: string;
}

/**
 * Shares the budget of a namespace: the cache that waits longest is first. Where space is missing, unused weights are deleted, least
 * recently used first, as few as needed. Nothing is deleted for weights that would not fit even then.
 */
export function planSpace(caches: readonly CacheWeight[], terms: SpaceTerms): SpacePlan {
  const spaces = new Map<string, SpaceGrant>();
  const evicted = new Map<string, string>();
  let taken = sumOf(caches.filter(({ is }) => is !== "wants"));
  /** Space that is being freed and already promised. */
  let promised = -sumOf(caches.filter(({ is }) => is === "leaves"));
  const waiting = caches.filter(
    ({ is, bytes, budget }) => is === "wants" && bytes !== undefined && budget !== undefined,
  );
  for (const { name, bytes = 0, budget = 0 } of waiting.toSorted(byAge)) {
    if (bytes <= budget - taken) {
      spaces.set(name, { is: "granted" });
      taken += bytes;
      continue;
    }
    const missing = bytes - (budget - taken - promised);
    const victims = missing <= 0 ? [] : chooseVictims(caches, missing, evicted);
    if (victims === undefined || bytes > budget) {
      spaces.set(name, { is: "refused", why: refusal(terms, { bytes, budget, caches }) });
      continue;
    }
    for (const victim of victims) evicted.set(victim.name, name);
    promised += bytes - sumOf(victims);
    spaces.set(name, { is: "making", why: describeMaking(terms, caches, victims) });
  }
  return { spaces, evicted };
}

const sumOf = (caches: readonly CacheWeight[]): number => caches.reduce((sum, { bytes = 0 }) => sum + bytes, 0);

const byAge = (a: CacheWeight, b: CacheWeight): number => compare(a.createdAt, b.createdAt) || compare(a.name, b.name);
const byUse = (a: CacheWeight, b: CacheWeight): number => compare(a.lastUsed, b.lastUsed) || compare(a.name, b.name);
const compare = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1);

/** As few as needed, least recently used first; undefined where all together are not enough. */
function chooseVictims(
  caches: readonly CacheWeight[],
  missing: number,
  chosen: ReadonlyMap<string, string>,
): CacheWeight[] | undefined {
  const victims: CacheWeight[] = [];
  let freed = 0;
  const open = caches.filter(({ is, name, pinnedBy }) => is === "holds" && pinnedBy === undefined && !chosen.has(name));
  for (const victim of open.toSorted(byUse)) {
    if (freed >= missing) break;
    victims.push(victim);
    freed += victim.bytes ?? 0;
  }
  return freed >= missing ? victims : undefined;
}

function describeMaking({ kind }: SpaceTerms, caches: readonly CacheWeight[], victims: readonly CacheWeight[]): string {
  const leaving = victims.length > 0 ? victims : caches.filter(({ is }) => is === "leaves");
  return `Deleting ${kind} ${listed(leaving.map(({ name }) => name))} to free space`;
}

interface Refusal {
  readonly bytes: number;
  readonly budget: number;
  readonly caches: readonly CacheWeight[];
}

function refusal({ namespace, remedy }: SpaceTerms, { bytes, budget, caches }: Refusal): string {
  const holding = caches.filter(({ is }) => is === "holds");
  const pinned = holding.flatMap(({ name, pinnedBy }) => (pinnedBy === undefined ? [] : [`${name} (${pinnedBy})`]));
  const text = `Not enough space for model caches in namespace ${namespace}: ${readable(sumOf(holding))} of ${readable(budget)} used, ${readable(bytes)} requested`;
  const kept = pinned.length === 0 ? "" : `; cannot delete ${listed(pinned)}`;
  return `${text}${kept}; ${remedy}`;
}

const most = 5;

function listed(names: readonly string[]): string {
  const sorted = names.toSorted();
  const rest = sorted.length - most;
  return rest > 0 ? `${sorted.slice(0, most).join(", ")} and ${rest} more` : sorted.join(", ");
}

const mebibyte = 1024 ** 2;

/** Exact where a person wrote it, else short. */
const readable = (bytes: number): string =>
  bytes % mebibyte !== 0
    ? formatMemory(bytes)
    : formatQuantity({ unscaled: BigInt(Math.round(bytes)), exponent: 0, format: "BinarySI" });
