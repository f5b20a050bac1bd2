import { formatQuantity } from "@trivium/std";

/** A model cache as far as the budget of its namespace cares. */
export interface CacheWeight {
  readonly name: string;
  readonly uid: string;
  /** Size of its claim, or of the one it wants; nothing while nobody knows how large its weights are. */
  readonly bytes?: number;
  /** `holds`: it has its room. `wants`: it waits for some. `leaves`: it is on its way out, and its room with it. */
  readonly is: "holds" | "wants" | "leaves";
  /** Nothing where no budget applies to it. */
  readonly budget?: number;
  /** When it was last used, or made where it never was. */
  readonly lastUsed: string;
  readonly createdAt: string;
  /** Why it must stay; nothing where it may go. */
  readonly pinnedBy?: string;
}

/** What becomes of one that waits. */
export type SpaceGrant =
  | { readonly is: "granted" }
  /** Others go first. */
  | { readonly is: "making"; readonly why: string }
  | { readonly is: "refused"; readonly why: string };

export interface SpacePlan {
  readonly spaces: ReadonlyMap<string, SpaceGrant>;
  /** Those that go, each with the one it goes for. */
  readonly evicted: ReadonlyMap<string, string>;
}

/**
 * Shares the budget of a namespace: who waits longest comes first, and where there is no room, weights that nobody uses go, those used
 * longest ago first. Nothing goes for one that would not fit even then.
 */
export function planSpace(namespace: string, caches: readonly CacheWeight[]): SpacePlan {
  const spaces = new Map<string, SpaceGrant>();
  const evicted = new Map<string, string>();
  let taken = sumOf(caches.filter(({ is }) => is !== "wants"));
  /** Room that is being freed and already promised. */
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
      spaces.set(name, { is: "refused", why: refusal(namespace, { bytes, budget, caches }) });
      continue;
    }
    for (const victim of victims) evicted.set(victim.name, name);
    promised += bytes - sumOf(victims);
    spaces.set(name, { is: "making", why: makingWords(caches, victims) });
  }
  return { spaces, evicted };
}

const sumOf = (caches: readonly CacheWeight[]): number => caches.reduce((sum, { bytes = 0 }) => sum + bytes, 0);

const byAge = (a: CacheWeight, b: CacheWeight): number => compare(a.createdAt, b.createdAt) || compare(a.name, b.name);
const byUse = (a: CacheWeight, b: CacheWeight): number => compare(a.lastUsed, b.lastUsed) || compare(a.name, b.name);
const compare = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1);

/** As few as are needed, those used longest ago; nothing where all together are not enough. */
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

function makingWords(caches: readonly CacheWeight[], victims: readonly CacheWeight[]): string {
  const leaving = victims.length > 0 ? victims : caches.filter(({ is }) => is === "leaves");
  return `Deleting AIMModelCache ${listed(leaving.map(({ name }) => name))} to free space`;
}

interface Refusal {
  readonly bytes: number;
  readonly budget: number;
  readonly caches: readonly CacheWeight[];
}

function refusal(namespace: string, { bytes, budget, caches }: Refusal): string {
  const holding = caches.filter(({ is }) => is === "holds");
  const pinned = holding.flatMap(({ name, pinnedBy }) => (pinnedBy === undefined ? [] : [`${name} (${pinnedBy})`]));
  const text = `Not enough space for model caches in namespace ${namespace}: ${readable(sumOf(holding))} of ${readable(budget)} used, ${readable(bytes)} requested`;
  const kept = pinned.length === 0 ? "" : `; cannot delete ${listed(pinned)}`;
  return `${text}${kept}; raise storage.maxCacheBytes in the runtime config, or delete caches`;
}

const most = 5;

function listed(names: readonly string[]): string {
  const sorted = names.toSorted();
  const rest = sorted.length - most;
  return rest > 0 ? `${sorted.slice(0, most).join(", ")} and ${rest} more` : sorted.join(", ");
}

const readable = (bytes: number): string =>
  formatQuantity({ unscaled: BigInt(Math.round(bytes)), exponent: 0, format: "BinarySI" });
