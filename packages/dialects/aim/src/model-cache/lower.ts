import { parseListedBytes, parseProgress } from "@trivium/engines";
import type { Instant } from "@trivium/std";
import type { AimOptions } from "../options.ts";
import { type ResolvedConfig, resolveRuntimeConfig } from "../runtime-config/settings/resolve.ts";
import { bytesOf, claimSize, defaultHeadroom } from "../storage/claim-size.ts";
import type { CachePass } from "./health/cache-pass.ts";
import type { CacheState } from "./health/cache-state.ts";
import { judge } from "./health/judge.ts";
import { attemptsAllowed } from "./health/retries.ts";
import { attemptOf, claimNameOf, type ModelCache } from "./names/names.ts";
import type { ObservedModelCache } from "./observe.ts";
import { storedBytes } from "./weights/local-source.ts";

export type LoweredCache =
  /** The config that it names is missing: nothing changes. */
  | {
      readonly is: "unconfigured";
      readonly state: CacheState;
      readonly pass: Omit<CachePass, "settings" | "claimSize">;
    }
  | {
      readonly is: "intended";
      readonly state: CacheState;
      readonly pass: CachePass;
      readonly config: Extract<ResolvedConfig, { is: "resolved" }>;
    };

/** How far the weights are, and what follows from it. */
export function lowerModelCache(
  cache: ModelCache,
  observed: ObservedModelCache,
  { options, now }: { readonly options: AimOptions; readonly now: Instant },
): LoweredCache {
  const config = resolveRuntimeConfig(observed.config);
  const bytes = sizeOf(cache, observed);
  const known = {
    cache,
    observed,
    options,
    now,
    attempt: attemptOf(cache),
    allowed: attemptsAllowed(cache),
    claimName: observed.claimName ?? claimNameOf(cache),
    bytes,
    progress:
      observed.progress?.tolerated.is === "known" ? parseProgress(observed.progress.tolerated.value) : undefined,
  };
  if (config.is !== "resolved") {
    const message = config.is === "missing" ? config.message : "";
    return { is: "unconfigured", state: withoutConfig(known, message), pass: known };
  }
  const { settings } = config;
  const headroom = settings.headroomPercent ?? defaultHeadroom;
  const size = bytes === undefined ? undefined : claimSize(storedBytes(cache, options, bytes), headroom);
  const pass = { ...known, settings, claimSize: size };
  return { is: "intended", state: judge(pass), pass, config };
}

/** Weights that are cached need no config. */
function withoutConfig(
  { cache, observed: { claim }, attempt }: Pick<CachePass, "cache" | "observed" | "attempt">,
  message: string,
): CacheState {
  const isFull = cache.status?.status === "Available" && claim.is === "known" && claim.value.phase === "Bound";
  return isFull
    ? { is: "full", attempt }
    : { is: "stuck", attempt, fault: { reason: "RuntimeConfigMissing", message } };
}

/** How large the weights are: as the spec states, or as the source reported. */
function sizeOf({ spec, status }: ModelCache, { measured }: ObservedModelCache): bigint | undefined {
  const stated = bytesOf(spec.size);
  if (stated !== undefined) return stated;
  const found =
    status?.discoveredSizeBytes ?? (measured?.is === "known" ? parseListedBytes(measured.value) : undefined);
  return found === undefined ? undefined : BigInt(found);
}
