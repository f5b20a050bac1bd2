import type { Kind } from "@trivium/kube";
import type { Part, Reader } from "@trivium/reconcile";
import { InferenceService } from "../kinds/inference-service.ts";

/** A service that waits for GPUs, or has a position from when it did. */
export interface QueueEntry {
  readonly namespace: string;
  readonly name: string;
  readonly isWaiting: boolean;
  readonly priority: number;
  readonly createdAt: string;
  /** The position in its status. */
  readonly position?: number;
}

export interface ObservedQueue {
  readonly entries: readonly QueueEntry[];
}

export const queueReads = [InferenceService] as const satisfies readonly Kind[];

export const observeQueue = (reader: Reader<(typeof queueReads)[number]>): ObservedQueue => ({
  entries: reader.listParts(InferenceService, {}, queueEntry),
});

/** Most services neither wait nor did, and change for other reasons. */
const queueEntry: Part<InferenceService, QueueEntry | undefined> = { name: "queue entry", of: entryOf };

function entryOf({ metadata, status }: InferenceService): QueueEntry | undefined {
  const isWaiting = status?.phase === "WaitingForGPU" && metadata.deletionTimestamp === undefined;
  const position = status?.queuePosition ?? undefined;
  if (!isWaiting && position === undefined) return undefined;
  return {
    namespace: metadata.namespace ?? "",
    name: metadata.name ?? "",
    isWaiting,
    priority: status?.effectivePriority ?? 0,
    createdAt: metadata.creationTimestamp ?? "",
    ...(position === undefined ? {} : { position }),
  };
}
