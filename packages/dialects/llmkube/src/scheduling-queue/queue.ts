import type { Fact } from "@trivium/std";
import { type GpuPlan, gpuCount } from "../hardware/gpu-plan.ts";
import { classPriorityOf } from "../inference-service/pod/priority.ts";
import type { InferenceService } from "../kinds/inference-service.ts";

/** A service that waits for GPUs. */
export interface QueueEntry {
  readonly key: string;
  readonly priority: number;
  readonly createdAt: string;
}

export const keyOf = ({ metadata }: InferenceService): string => `${metadata.namespace}/${metadata.name}`;

export function queueEntryOf(service: InferenceService): QueueEntry | undefined {
  const { metadata, status } = service;
  if (status?.phase !== "WaitingForGPU") return undefined;
  return {
    key: keyOf(service),
    priority: status.effectivePriority ?? 0,
    createdAt: metadata.creationTimestamp ?? "",
  };
}

/** The place of one among all that wait, from 1: the more important first, then the older. */
export function placeInQueue(entry: QueueEntry, others: readonly QueueEntry[]): number {
  const line = [entry, ...others.filter(({ key }) => key !== entry.key)].sort(
    (a, b) => b.priority - a.priority || compare(a.createdAt, b.createdAt) || compare(a.key, b.key),
  );
  return line.indexOf(entry) + 1;
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Its place, and what it waits for. */
export function describeWaiting(
  service: InferenceService,
  gpu: GpuPlan,
  { priority, queue }: { priority: Fact<number>; queue: readonly QueueEntry[] },
): { queuePosition: number; waitingFor?: string } {
  const entry = {
    key: keyOf(service),
    priority: priority.is === "known" ? priority.value : classPriorityOf(service),
    createdAt: service.metadata.creationTimestamp ?? "",
  };
  return {
    queuePosition: placeInQueue(entry, queue),
    ...(gpu.is === "resource" ? { waitingFor: `${gpu.resource}: ${gpuCount(gpu)}` } : {}),
  };
}
