import type { Note } from "@trivium/reconcile";

export const evictedEvent = (message: string): Note => ({ type: "Normal", reason: "CacheEvicted", message });

export const budgetEvents = ({ fault }: { readonly fault?: string }): Note[] =>
  fault === undefined ? [] : [{ type: "Warning", reason: "CacheBudgetInvalid", message: fault }];
