import { formatMemory } from "@trivium/engines";
import type { DecidedCondition } from "@trivium/kube";
import type { Note } from "@trivium/reconcile";
import { condition, conditionsFor, generationOf, noFailure } from "../conditions.ts";
import type { Settings } from "../runtime-config/settings/merge-settings.ts";
import { resolveRuntimeConfig } from "../runtime-config/settings/resolve.ts";
import { bytesOf, claimSize, defaultHeadroom } from "../storage/claim-size.ts";
import type { CacheState } from "./health/cache-state.ts";
import { claimFault, sizeOf, triesAllowed } from "./health/judge.ts";
import { claimNameOf, type ModelCache, type ModelCacheStatus } from "./names/names.ts";
import type { ObservedModelCache } from "./observe.ts";
import { isLocal } from "./weights/local-source.ts";
import { readProgress } from "./weights/log.ts";

interface Facts {
  readonly state: CacheState;
  readonly observed: ObservedModelCache;
  readonly settings: Settings | undefined;
}

export function raiseModelCache(cache: ModelCache, facts: Facts): { status: ModelCacheStatus; notes: readonly Note[] } {
  const { state, observed } = facts;
  const word = wordOf(cache, facts);
  const config = resolveRuntimeConfig(observed.config);
  const reference = config.is === "resolved" ? config.reference : undefined;
  const bytes = sizeOf({ cache, observed });
  const lastUsed = lastUseOf(cache, observed);
  const progress = progressOf(cache, facts, bytes);
  const isMeasured = bytesOf(cache.spec.size) === undefined && bytes !== undefined;
  const status: ModelCacheStatus = {
    ...generationOf(cache),
    status: phaseOf(state),
    ...(observed.claim.is === "known" ? { persistentVolumeClaim: claimOf(cache, observed) } : {}),
    ...(reference === undefined ? {} : { resolvedRuntimeConfig: reference }),
    ...(lastUsed ? { lastUsed } : {}),
    ...(progress === undefined ? {} : { progress }),
    download: {
      protocol: protocolOf(cache),
      attempt: state.attempt,
      totalAttempts: state.allowed ?? triesAllowed(cache),
      message: word.message,
    },
    ...(bytes === undefined ? {} : { displaySize: readable(bytes), ...allocated(cache, bytes, facts) }),
    mode: cache.metadata.ownerReferences?.some(({ kind }) => kind === "AIMTemplateCache") ? "Dedicated" : "Shared",
    ...(isMeasured ? { discoveredSizeBytes: Number(bytes) } : {}),
    conditions: conditionsFor(cache, conditionsOf(cache, facts)),
  };
  return { status, notes: notesOf(state, word.message) };
}

const claimOf = (cache: ModelCache, { claimName }: ObservedModelCache): string => claimName ?? claimNameOf(cache);

const protocolOf = ({ spec }: ModelCache): string =>
  isLocal(spec) ? "FILE" : spec.sourceUri.startsWith("s3:") ? "S3" : "HTTP";

/** What was claimed stays as it was claimed, whatever the settings say later. */
function allocated({ status }: ModelCache, bytes: bigint, { observed, settings }: Facts) {
  const claim = observed.claim.is === "known" ? observed.claim.value : undefined;
  const before = claim === undefined ? undefined : status?.headroomPercent;
  const headroom = before ?? settings?.headroomPercent ?? defaultHeadroom;
  return { allocatedSize: claim?.size ?? claimSize(bytes, headroom), headroomPercent: headroom };
}

/** While services use it: when the last of them began to. Afterwards: when the last one ended. */
function lastUseOf({ status }: ModelCache, { users }: ObservedModelCache): string | undefined {
  const before = status?.lastUsed ?? "";
  const unused = status?.conditions?.find((one) => one.type === "InUse" && one.status === "False");
  const ended = before === "" ? "" : (unused?.lastTransitionTime ?? "");
  return [before, ended, ...users.flatMap(({ since }) => since ?? [])].sort().at(-1);
}

function phaseOf({ is }: CacheState): NonNullable<ModelCacheStatus["status"]> {
  if (is === "full") return "Available";
  return is === "stuck" ? "Failed" : "Progressing";
}

function progressOf(
  cache: ModelCache,
  { state, observed }: Facts,
  bytes: bigint | undefined,
): ModelCacheStatus["progress"] {
  if (state.is === "full") {
    const total = cache.status?.progress?.totalBytes ?? (bytes === undefined ? undefined : Number(bytes));
    return {
      ...(total === undefined ? {} : { totalBytes: total, downloadedBytes: total }),
      percentage: 100,
      displayPercentage: "100 %",
    };
  }
  const read = observed.progress?.is === "known" ? readProgress(observed.progress.value) : undefined;
  // An answer that is late takes nothing back.
  return state.is === "fetching"
    ? (read ?? (observed.progress === undefined ? undefined : cache.status?.progress))
    : undefined;
}

interface Word {
  readonly reason: string;
  readonly message: string;
}

function wordOf(cache: ModelCache, { state, observed }: Facts): Word {
  const { sourceUri } = cache.spec;
  switch (state.is) {
    case "measuring":
      return {
        reason: "MeasuringSize",
        message: state.fault?.message ?? `Resolving the size of ${sourceUri}`,
      };
    case "queueing":
      return { reason: "WaitingForRoom", message: state.why };
    case "claiming":
    case "reclaiming":
      return {
        reason: "WaitingForPVC",
        message: state.why ?? `Waiting for a volume for PersistentVolumeClaim ${claimOf(cache, observed)}`,
      };
    case "fetching":
      return {
        reason: "Downloading",
        message: state.fault?.message ?? `Downloading ${sourceUri}${farOf(observed)}`,
      };
    case "backoff":
      return {
        reason: "RetryBackoff",
        message: `${state.fault.message} (attempt ${state.attempt} of ${triesAllowed(cache)}; retrying automatically)`,
      };
    case "full":
      return { reason: "Warm", message: "The weights are cached" };
    case "stuck":
      return { reason: state.fault.reason, message: state.fault.message };
  }
}

/** By the percent, so that others who repeat it are not written more often than that. */
function farOf({ progress }: ObservedModelCache): string {
  const read = progress?.is === "known" ? readProgress(progress.value) : undefined;
  if (read?.totalBytes === undefined) return "";
  return `: ${read.percentage}% of ${formatMemory(read.totalBytes)}`;
}

function conditionsOf(cache: ModelCache, facts: Facts): DecidedCondition[] {
  const { state, observed } = facts;
  const word = wordOf(cache, facts);
  const isStuck = state.is === "stuck";
  const coarse = isStuck ? { ...word, reason: coarseReason(word.reason) } : word;
  const fault = "fault" in state ? state.fault : undefined;
  return [
    storageCondition(facts),
    condition("Ready", state.is === "full" ? "True" : "False", coarse),
    condition("Progressing", isStuck || state.is === "full" ? "False" : "True", coarse),
    isStuck
      ? condition("Failure", "True", { ...coarse, message: `${word.message}${remedyOf(word.reason)}` })
      : noFailure("NoFailure", { isReady: state.is === "full", message: word.message }),
    state.is === "full"
      ? condition("DownloadComplete", "True", { reason: "Verified", message: word.message })
      : condition("DownloadComplete", "False", fault ?? word),
    useCondition(observed),
  ];
}

/** These say themselves what to do. */
const plainReasons = ["PVCLost", "PVCTooSmall", "RuntimeConfigMissing", "CacheQuotaExceeded"];
const coarseReason = (reason: string): string => (plainReasons.includes(reason) ? reason : "DownloadFailed");
const remedyOf = (reason: string): string =>
  plainReasons.includes(reason) || reason === "SourceNotAllowed"
    ? ""
    : ". To retry, change the spec, or raise the annotation aim.silogen.ai/retry";

/** For whoever makes room: what is in use stays. */
function useCondition({ users }: ObservedModelCache): DecidedCondition {
  const names = users.map(({ name }) => name).sort();
  if (names.length === 0) return condition("InUse", "False", { reason: "Unused", message: "Not used by any service" });
  const rest = names.length > 5 ? ` and ${names.length - 5} more` : "";
  const message = `Used by AIMService ${names.slice(0, 5).join(", ")}${rest}`;
  return condition("InUse", "True", { reason: "Mounted", message });
}

function storageCondition({ observed, state }: Facts): DecidedCondition {
  const type = "StorageReady";
  const { claim } = observed;
  if (state.is === "stuck" && state.fault.reason === "CacheQuotaExceeded") return condition(type, "False", state.fault);
  if (state.is === "queueing") return condition(type, "False", { reason: "WaitingForRoom", message: state.why });
  if (claim.is !== "known") {
    return state.is === "measuring"
      ? condition(type, "False", { reason: "WaitingForSize", message: "Waiting for the size of the weights" })
      : condition(type, "False", { reason: "PVCPending", message: "The PersistentVolumeClaim is not created yet" });
  }
  const { phase } = claim.value;
  if (state.is === "stuck" && state.fault.reason === "PVCTooSmall") return condition(type, "False", state.fault);
  if (phase === "Bound")
    return condition(type, "True", { reason: "PVCBound", message: "The PersistentVolumeClaim is bound" });
  if (phase === "Lost")
    return condition(type, "False", { reason: "PVCLost", message: "The volume of the PersistentVolumeClaim is lost" });
  const fault = claimFault(observed) ?? {
    reason: "PVCProvisioning",
    message: "Waiting for a volume for the PersistentVolumeClaim",
  };
  return condition(type, "False", fault);
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
