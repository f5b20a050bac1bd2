import { emitClaim, emitJob } from "@trivium/emitters";
import { Job, PersistentVolumeClaim } from "@trivium/kube";
import type { Decision, Desired, Note, Reconciler } from "@trivium/reconcile";
import type { Fact } from "@trivium/std";
import { cachePaths } from "../field-paths.ts";
import { AIMModelCache } from "../kinds/model-cache.ts";
import type { AimOptions } from "../options.ts";
import { type RefusedReasons, raiseRefused } from "../refused.ts";
import { resolveRuntimeConfig } from "../runtime-config/settings/resolve.ts";
import type { CacheState } from "./health/cache-state.ts";
import { judge, type Pass, sizeOf, wantedClaim } from "./health/judge.ts";
import {
  attemptOf,
  claimNameOf,
  downloadNameOf,
  type ModelCache,
  type ModelCacheStatus,
  measureNameOf,
} from "./names/names.ts";
import { modelCacheReads, type ObservedModelCache, observeModelCache } from "./observe.ts";
import { raiseModelCache } from "./raise.ts";
import { labelsOf, planDownload, planMeasure } from "./weights/jobs.ts";

const refusedWords: RefusedReasons = {
  paths: cachePaths,
  state: "Failed",
  parts: { PersistentVolumeClaim: "StorageReady" },
  also: ["DownloadComplete"],
};

export function modelCacheReconciler(
  options: AimOptions,
): Reconciler<ModelCache, ObservedModelCache, (typeof modelCacheReads)[number]> {
  return {
    name: "aim.model-cache",
    kind: AIMModelCache,
    reads: modelCacheReads,
    writes: [PersistentVolumeClaim, Job],
    observe: observeModelCache,
    decide(cache, observed, now): Decision<ModelCacheStatus> {
      const config = resolveRuntimeConfig(observed.config);
      const facts = [
        observed.claim,
        observed.download,
        ...[observed.measure, observed.measured].flatMap((fact) => fact ?? []),
      ];
      if (config.is === "unknown" || facts.some(isUnresolved)) return { do: "hold", status: cache.status ?? {} };
      if (config.is === "missing") {
        const state = withoutConfig(cache, observed, config.message);
        return { do: "hold", ...raiseModelCache(cache, { state, observed, settings: undefined }) };
      }
      return converge({ cache, observed, settings: config.settings, options, now });
    },
    refused(cache, status, refusals) {
      const refused = raiseRefused(refusedWords, cache, status, refusals);
      const message = refused.conditions?.find(({ type }) => type === "Failure")?.message;
      return message === undefined ? refused : { ...refused, download: { ...refused.download, message } };
    },
  };
}

const isUnresolved = ({ is }: Fact<unknown>): boolean => is === "pending" || is === "unreachable";

/** Weights that are there need no config. */
function withoutConfig(cache: ModelCache, { claim }: ObservedModelCache, message: string): CacheState {
  const attempt = attemptOf(cache);
  const isFull = cache.status?.status === "Available" && claim.is === "known" && claim.value.phase === "Bound";
  return isFull
    ? { is: "full", attempt }
    : { is: "stuck", attempt, fault: { reason: "RuntimeConfigMissing", message } };
}

function converge(pass: Pass): Decision<ModelCacheStatus> {
  const { cache, observed, settings } = pass;
  const state = judge(pass);
  const raised = raiseModelCache(cache, { state, observed, settings });
  return {
    do: "converge",
    children: childrenOf(pass, state),
    ...raised,
    ...(state.is === "backoff" ? { recheckIn: state.wait } : {}),
  };
}

function childrenOf(pass: Pass, state: CacheState): Desired[] {
  const { cache, observed } = pass;
  const { attempt } = state;
  const input = { ...pass, attempt };
  const isNewTry = attempt !== attemptOf(cache);
  const made: Note = {
    type: "Normal",
    reason: "DownloadJobCreated",
    message: `Created Job ${downloadNameOf(cache, attempt)} to download ${cache.spec.sourceUri}`,
  };
  const download =
    state.is === "fetching" && (observed.download.is === "absent" || isNewTry)
      ? { ...emitJob(planDownload(input)), events: { made } }
      : kept(Job, downloadNameOf(cache, attempt));
  const measure =
    state.is === "measuring" && (observed.measure?.is !== "known" || isNewTry)
      ? emitJob(planMeasure(input))
      : kept(Job, measureNameOf(cache, attempt));
  return [...claimsOf(pass, state), download, measure];
}

/** The claim, made only when it is known how large it is to be and that there is room. */
function claimsOf(pass: Pass, state: CacheState): Desired[] {
  if (state.is === "reclaiming") return [];
  const { cache, observed, settings } = pass;
  const name = observed.claimName ?? claimNameOf(cache);
  const bytes = sizeOf(pass);
  if (state.is !== "claiming" || observed.claim.is === "known" || bytes === undefined)
    return [kept(PersistentVolumeClaim, name)];
  return [
    emitClaim({
      name,
      labels: labelsOf(cache, settings),
      size: wantedClaim(pass, bytes),
      accessMode: settings.accessMode ?? "ReadWriteMany",
      storageClass: cache.spec.storageClassName ?? settings.storageClassName,
      life: "owned",
    }),
  ];
}

const kept = (kind: typeof Job | typeof PersistentVolumeClaim, name: string): Desired => ({
  kind,
  object: {
    apiVersion: kind.group === "" ? kind.version : `${kind.group}/${kind.version}`,
    kind: kind.kind,
    metadata: { name },
  },
  keep: true,
});
