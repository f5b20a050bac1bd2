import type { Note } from "@trivium/reconcile";
import type { TemplateCacheStatus } from "./names/names.ts";

/** What is recorded when a cache reaches a state. */
export function eventsOf(state: TemplateCacheStatus["status"], message: string): Note[] {
  if (state === "Available") return [{ type: "Normal", reason: "CacheReady", message }];
  return state === "Failed" ? [{ type: "Warning", reason: "CacheFailed", message }] : [];
}
