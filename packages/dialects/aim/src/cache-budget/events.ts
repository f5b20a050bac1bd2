import type { Note } from "@trivium/reconcile";

export const evictedEvent = ({ lastUsed }: { readonly lastUsed: string }, wanted: string): Note => ({
  type: "Normal",
  reason: "CacheEvicted",
  message: `Deleted to free space for AIMModelCache ${wanted}: not used since ${lastUsed}`,
});
