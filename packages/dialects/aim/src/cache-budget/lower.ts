import type { CacheWeight } from "@trivium/engines";
import { bytesOf } from "../storage/claim-size.ts";
import { byName, type ObservedBudget, type ObservedCache, type ObservedHolder } from "./observe.ts";

/** The model caches of a namespace as far as its budget cares. */
export function lowerCaches({ budgets, inUse, holders, caches }: ObservedBudget): CacheWeight[] {
  const used = new Set(inUse);
  return caches.toSorted(byName).map((cache): CacheWeight => {
    const budget = budgets[cache.config];
    const bytes = bytesOf(cache.size);
    const pinnedBy = pinOf(cache, { holders: holders.toSorted(byName), used });
    const holds = cache.hasClaim || cache.space === "granted";
    return {
      name: cache.name,
      is: cache.isLeaving ? "leaves" : holds ? "holds" : "wants",
      lastUsed: cache.lastUsed,
      createdAt: cache.createdAt,
      ...(bytes === undefined ? {} : { bytes: Number(bytes) }),
      ...(budget?.is === "known" ? { budget: budget.value } : {}),
      ...(pinnedBy === undefined ? {} : { pinnedBy }),
    };
  });
}

/** Why weights must stay, however much space is needed. */
function pinOf(
  cache: ObservedCache,
  { holders, used }: { holders: readonly ObservedHolder[]; used: ReadonlySet<string> },
): string | undefined {
  if (used.has(cache.name) || used.has(cache.claim)) return "in use";
  if (cache.isKept) return "marked to be kept";
  if (cache.isOwned) return "owned";
  if (!cache.isAvailable) return "still downloading";
  const holder = holders.find(({ isPinned, caches }) => isPinned && caches.includes(cache.name));
  return holder === undefined ? undefined : `used by AIMTemplateCache ${holder.name}`;
}
