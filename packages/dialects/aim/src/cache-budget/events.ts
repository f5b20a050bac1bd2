import type { Note } from "@trivium/reconcile";

/** `wanted` is the cache that needs the space, with its kind. */
export const evictedEvent = ({ lastUsed }: { readonly lastUsed: string }, wanted: string): Note => ({
  type: "Normal",
  reason: "CacheEvicted",
  message: `Deleted to free space for ${wanted}: not used since ${lastUsed}`,
});
