import type { Note } from "@trivium/reconcile";
import type { CacheState } from "./health/cache-state.ts";
import type { ModelCache } from "./names/names.ts";

export const jobCreated = (job: string, { spec }: ModelCache): Note => ({
  type: "Normal",
  reason: "DownloadJobCreated",
  message: `Created Job ${job} to download ${spec.sourceUri}`,
});

/** What is recorded when a cache reaches a state. */
export function eventsOf({ is }: CacheState, message: string): Note[] {
  if (is === "full") return [{ type: "Normal", reason: "CacheReady", message }];
  if (is === "stuck" || is === "rechecking") return [{ type: "Warning", reason: "CacheFailed", message }];
  return is === "backoff" ? [{ type: "Warning", reason: "DownloadRetry", message }] : [];
}
