import type { DownloadProgress } from "@trivium/domain";
import { formatMemory, type MeasuredWeights, measureHeader } from "@trivium/engines";
import type { Note } from "@trivium/reconcile";
import { type Millis, parseSourceUri } from "@trivium/std";
import { conditionsFor, generationOf } from "../conditions.ts";
import type { Settings } from "../runtime-config/settings/merge-settings.ts";
import { bytesOf, claimSize, defaultHeadroom } from "../storage/claim-size.ts";
import type { Terms } from "../terms.ts";
import { eventsOf } from "./events.ts";
import type { CacheState } from "./health/cache-state.ts";
import type { LoweredCache } from "./lower.ts";
import type { ModelCache, ModelCacheStatus } from "./names/names.ts";
import type { ObservedModelCache } from "./observe.ts";
import { conditionsOf } from "./status/conditions.ts";
import { headlineOf } from "./status/headline.ts";
import { progressStatus, runningProgress } from "./status/progress.ts";
import { isLocal, storedBytes } from "./weights/local-source.ts";

interface Raised {
  readonly status: ModelCacheStatus;
  readonly notes: readonly Note[];
  readonly recheckIn?: Millis;
}

export function raiseModelCache(lowered: LoweredCache, terms: Terms): Raised {
  const { state, pass } = lowered;
  const { cache, observed, bytes, claimName } = pass;
  const settings = lowered.is === "intended" ? lowered.config.settings : undefined;
  const reference = lowered.is === "intended" ? lowered.config.reference : undefined;
  const running = pass.progress === undefined ? undefined : runningProgress(cache.status, pass.progress);
  const headline = headlineOf(pass, state, running);
  const lastUsed = lastUseOf(cache, observed);
  const progress = progressOf(pass, state, running);
  const isMeasured = bytesOf(cache.spec.size) === undefined && bytes !== undefined;
  const status: ModelCacheStatus = {
    ...generationOf(cache),
    status: phaseOf(state),
    ...(observed.claim.is === "known" ? { persistentVolumeClaim: claimName } : {}),
    ...(reference === undefined ? {} : { resolvedRuntimeConfig: reference }),
    ...(lastUsed ? { lastUsed } : {}),
    ...(progress === undefined ? {} : { progress }),
    download: {
      protocol: protocolOf(cache),
      attempt: state.attempt,
      totalAttempts: state.allowed ?? pass.allowed,
      message: headline.message,
    },
    ...(bytes === undefined
      ? {}
      : {
          displaySize: formatMemory(Number(bytes)),
          ...allocated(cache, storedBytes(cache, pass.options, bytes), { observed, settings }),
        }),
    mode: cache.metadata.ownerReferences?.some(({ kind }) => kind === "AIMTemplateCache") ? "Dedicated" : "Shared",
    ...(isMeasured ? { discoveredSizeBytes: Number(bytes) } : {}),
    ...weightsOf(cache, observed),
    conditions: conditionsFor(cache, conditionsOf({ state, observed, claimName, headline, terms })),
  };
  const wait = state.is === "backoff" || state.is === "stuck" ? state.wait : undefined;
  const recheck = wait === undefined ? {} : { recheckIn: wait };
  return { status, notes: eventsOf(state, headline.message), ...recheck };
}

/** What the file says of its layers stays once it was read. */
function weightsOf({ status }: ModelCache, { header }: ObservedModelCache): { readonly weights?: MeasuredWeights } {
  const found = header?.tolerated.is === "known" ? measureHeader(header.tolerated.value) : undefined;
  const weights = found?.shape === undefined ? status?.weights : found;
  return weights === undefined ? {} : { weights };
}

const protocolOf = ({ spec }: ModelCache): string =>
  isLocal(spec) ? "FILE" : parseSourceUri(spec.sourceUri).scheme === "s3" ? "S3" : "HTTP";

/** What was claimed stays as it was claimed, whatever the settings say later. */
function allocated(
  { status }: ModelCache,
  bytes: bigint,
  { observed, settings }: { observed: ObservedModelCache; settings: Settings | undefined },
) {
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
  return is === "stuck" || is === "rechecking" ? "Failed" : "Progressing";
}

function progressOf(
  { cache, observed, bytes }: LoweredCache["pass"],
  state: CacheState,
  running: DownloadProgress | undefined,
): ModelCacheStatus["progress"] {
  if (state.is === "full") {
    const total = cache.status?.progress?.totalBytes ?? (bytes === undefined ? undefined : Number(bytes));
    return {
      ...(total === undefined ? {} : { totalBytes: total, downloadedBytes: total }),
      percentage: 100,
      displayPercentage: "100 %",
    };
  }
  if (state.is !== "fetching") return undefined;
  if (running !== undefined) return progressStatus(running);
  // An answer that is late takes nothing back.
  return observed.progress === undefined ? undefined : cache.status?.progress;
}
