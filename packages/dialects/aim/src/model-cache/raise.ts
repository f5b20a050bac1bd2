import type { DecidedCondition } from "@trivium/kube";
import type { Note } from "@trivium/reconcile";
import type { Millis } from "@trivium/std";
import { condition, conditionsFor, generationOf } from "../conditions.ts";
import type { Settings } from "../runtime-config/merge-settings.ts";
import { resolveRuntimeConfig } from "../runtime-config/resolve.ts";
import { claimSize, usualHeadroom } from "../storage/claim-size.ts";
import type { DownloadFault } from "./classify.ts";
import { readProgress } from "./log.ts";
import { claimNameOf, type ModelCache, type ModelCacheStatus } from "./names.ts";
import type { ModelCacheSeen } from "./observe.ts";

export type CacheState =
  | { readonly is: "measuring"; readonly attempt: number; readonly fault?: DownloadFault }
  | { readonly is: "claiming"; readonly attempt: number; readonly bytes: bigint }
  | { readonly is: "fetching"; readonly attempt: number; readonly bytes: bigint; readonly fault?: DownloadFault }
  | { readonly is: "backoff"; readonly attempt: number; readonly fault: DownloadFault; readonly wait: Millis }
  | { readonly is: "full"; readonly attempt: number; readonly bytes: bigint | undefined }
  /** Nothing more is tried until somebody does something. */
  | { readonly is: "stuck"; readonly attempt: number; readonly fault: DownloadFault };

interface Facts {
  readonly state: CacheState;
  readonly seen: ModelCacheSeen;
  readonly settings: Settings | undefined;
}

export function raiseModelCache(cache: ModelCache, facts: Facts): { status: ModelCacheStatus; notes: readonly Note[] } {
  const { state, seen, settings } = facts;
  const word = wordOf(cache, state);
  const config = resolveRuntimeConfig(seen.config);
  const reference = config.is === "resolved" ? config.reference : undefined;
  const bytes = "bytes" in state && state.bytes !== undefined ? state.bytes : undefined;
  const headroom = settings?.headroomPercent ?? usualHeadroom;
  const lastUsed = [cache.status?.lastUsed ?? "", ...seen.users].sort().at(-1);
  const progress = progressOf(cache, facts);
  const discovered =
    cache.spec.size === undefined
      ? bytes === undefined
        ? cache.status?.discoveredSizeBytes
        : Number(bytes)
      : undefined;
  const status: ModelCacheStatus = {
    ...generationOf(cache),
    status: phaseOf(state),
    ...(seen.claim.is === "known" ? { persistentVolumeClaim: claimNameOf(cache) } : {}),
    ...(reference === undefined ? {} : { resolvedRuntimeConfig: reference }),
    ...(lastUsed ? { lastUsed } : {}),
    ...(progress === undefined ? {} : { progress }),
    download: { attempt: state.attempt, message: word.message },
    ...(bytes === undefined ? {} : { displaySize: readable(bytes), ...allocated(cache, bytes, headroom) }),
    mode: cache.metadata.ownerReferences?.some(({ kind }) => kind === "AIMTemplateCache") ? "Dedicated" : "Shared",
    ...(discovered === undefined ? {} : { discoveredSizeBytes: discovered }),
    conditions: conditionsFor(cache, conditionsOf(cache, facts)),
  };
  return { status, notes: notesOf(state, word.message) };
}

/** What was claimed stays as it was claimed, whatever the settings say later. */
function allocated({ status }: ModelCache, bytes: bigint, headroom: number) {
  return {
    allocatedSize: status?.allocatedSize ?? claimSize(bytes, headroom),
    headroomPercent: status?.headroomPercent ?? headroom,
  };
}

function phaseOf({ is }: CacheState): NonNullable<ModelCacheStatus["status"]> {
  if (is === "full") return "Available";
  return is === "stuck" ? "Failed" : "Progressing";
}

function progressOf(cache: ModelCache, { state, seen }: Facts): ModelCacheStatus["progress"] {
  if (state.is === "full") {
    const total = state.bytes === undefined ? cache.status?.progress?.totalBytes : undefined;
    return {
      ...(total === undefined ? {} : { totalBytes: total, downloadedBytes: total }),
      percentage: 100,
      displayPercentage: "100 %",
    };
  }
  const read = seen.progress?.is === "known" ? readProgress(seen.progress.value) : undefined;
  // An answer that is late takes nothing back.
  return state.is === "fetching"
    ? (read ?? (seen.progress === undefined ? undefined : cache.status?.progress))
    : undefined;
}

interface Word {
  readonly reason: string;
  readonly message: string;
}

function wordOf({ spec, metadata }: ModelCache, state: CacheState): Word {
  switch (state.is) {
    case "measuring":
      return {
        reason: "MeasuringSize",
        message: state.fault?.message ?? `The size of ${spec.sourceUri} is being asked for`,
      };
    case "claiming":
      return {
        reason: "WaitingForPVC",
        message: `Claim ${claimNameOf({ metadata, spec } as ModelCache)} has no volume yet`,
      };
    case "fetching":
      return { reason: "Downloading", message: state.fault?.message ?? `${spec.sourceUri} is being fetched` };
    case "backoff":
      return {
        reason: "RetryBackoff",
        message: `${state.fault.message} (try ${state.attempt} of a row of 5; the next follows by itself)`,
      };
    case "full":
      return { reason: "Warm", message: "The weights are there" };
    case "stuck":
      return { reason: state.fault.reason, message: state.fault.message };
  }
}

function conditionsOf(cache: ModelCache, { state, seen }: Facts): DecidedCondition[] {
  const word = wordOf(cache, state);
  const isStuck = state.is === "stuck";
  const coarse = isStuck ? { ...word, reason: coarseReason(word.reason) } : word;
  const fault = "fault" in state ? state.fault : undefined;
  return [
    storageCondition(seen, state),
    condition("Ready", state.is === "full" ? "True" : "False", coarse),
    condition("Progressing", isStuck || state.is === "full" ? "False" : "True", coarse),
    isStuck
      ? condition("Failure", "True", {
          ...coarse,
          message: `${word.message}. Correct the spec, or set the annotation aim.silogen.ai/retry to another number`,
        })
      : condition("Failure", "False", { reason: "NoFailure", message: "Nothing is wrong" }),
    state.is === "full"
      ? condition("DownloadComplete", "True", { reason: "Verified", message: word.message })
      : condition("DownloadComplete", "False", fault ?? word),
  ];
}

const coarseReason = (reason: string): string =>
  reason === "PVCLost" || reason === "RuntimeConfigMissing" ? reason : "DownloadFailed";

function storageCondition({ claim }: ModelCacheSeen, state: CacheState): DecidedCondition {
  const type = "StorageReady";
  if (claim.is !== "known") {
    const reason = state.is === "measuring" ? "WaitingForSize" : "PVCPending";
    return condition(type, "False", { reason, message: "There is no claim yet" });
  }
  const { phase } = claim.value;
  if (phase === "Bound") return condition(type, "True", { reason: "PVCBound", message: "The claim has its volume" });
  if (phase === "Lost")
    return condition(type, "False", { reason: "PVCLost", message: "The volume of the claim is gone" });
  return condition(type, "False", { reason: "PVCProvisioning", message: "The claim waits for its volume" });
}

function notesOf(state: CacheState, message: string): Note[] {
  if (state.is === "full") return [{ type: "Normal", reason: "CacheReady", message }];
  if (state.is === "stuck") return [{ type: "Warning", reason: "CacheFailed", message }];
  return state.is === "backoff" ? [{ type: "Warning", reason: "DownloadRetry", message }] : [];
}

const units = ["B", "KiB", "MiB", "GiB", "TiB"];

function readable(bytes: bigint): string {
  let [value, unit] = [Number(bytes), 0];
  while (value >= 1024 && unit < units.length - 1) [value, unit] = [value / 1024, unit + 1];
  return `${Number.isInteger(value) ? value : value.toFixed(1)} ${units[unit]}`;
}
