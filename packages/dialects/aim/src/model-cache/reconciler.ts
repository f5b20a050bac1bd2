import { emitClaim, emitJob } from "@trivium/emitters";
import { Job, PersistentVolumeClaim } from "@trivium/kube";
import type { Decision, Desired, Note, Reconciler } from "@trivium/reconcile";
import type { Fact } from "@trivium/std";
import { cachePaths } from "../field-paths.ts";
import { AIMModelCache } from "../kinds/model-cache.ts";
import type { AimOptions } from "../options.ts";
import { type RefusedWords, raiseRefused } from "../refused.ts";
import { resolveRuntimeConfig } from "../runtime-config/resolve.ts";
import type { CacheState } from "./cache-state.ts";
import { labelsOf, planDownload, planMeasure } from "./jobs.ts";
import { judge, type Pass, sizeOf, wantedClaim } from "./judge.ts";
import {
  attemptOf,
  claimNameOf,
  downloadNameOf,
  type ModelCache,
  type ModelCacheStatus,
  measureNameOf,
} from "./names.ts";
import { type ModelCacheSeen, modelCacheReads, observeModelCache } from "./observe.ts";
import { raiseModelCache } from "./raise.ts";

const refusedWords: RefusedWords = {
  paths: cachePaths,
  state: "Failed",
  parts: { PersistentVolumeClaim: "StorageReady" },
  also: ["DownloadComplete"],
};

export function modelCacheReconciler(
  options: AimOptions,
): Reconciler<ModelCache, ModelCacheSeen, (typeof modelCacheReads)[number]> {
  return {
    name: "aim.model-cache",
    kind: AIMModelCache,
    reads: modelCacheReads,
    writes: [PersistentVolumeClaim, Job],
    observe: observeModelCache,
    decide(cache, seen, now): Decision<ModelCacheStatus> {
      const config = resolveRuntimeConfig(seen.config);
      const facts = [seen.claim, seen.download, ...[seen.measure, seen.measured].flatMap((fact) => fact ?? [])];
      if (config.is === "unknown" || facts.some(isDark)) return { do: "hold", status: cache.status ?? {} };
      if (config.is === "missing") {
        const state = withoutConfig(cache, seen, config.message);
        return { do: "hold", ...raiseModelCache(cache, { state, seen, settings: undefined }) };
      }
      return converge({ cache, seen, settings: config.settings, options, now });
    },
    refused(cache, status, refusals) {
      const refused = raiseRefused(refusedWords, cache, status, refusals);
      const message = refused.conditions?.find(({ type }) => type === "Failure")?.message;
      return message === undefined ? refused : { ...refused, download: { ...refused.download, message } };
    },
  };
}

const isDark = ({ is }: Fact<unknown>): boolean => is === "pending" || is === "unreachable";

/** Weights that are there need no config. */
function withoutConfig(cache: ModelCache, { claim }: ModelCacheSeen, message: string): CacheState {
  const attempt = attemptOf(cache);
  const isFull = cache.status?.status === "Available" && claim.is === "known" && claim.value.phase === "Bound";
  return isFull
    ? { is: "full", attempt }
    : { is: "stuck", attempt, fault: { reason: "RuntimeConfigMissing", message } };
}

function converge(pass: Pass): Decision<ModelCacheStatus> {
  const { cache, seen, settings } = pass;
  const state = judge(pass);
  const raised = raiseModelCache(cache, { state, seen, settings });
  return {
    do: "converge",
    children: childrenOf(pass, state),
    ...raised,
    ...(state.is === "backoff" ? { recheckIn: state.wait } : {}),
  };
}

function childrenOf(pass: Pass, state: CacheState): Desired[] {
  const { cache, seen } = pass;
  const { attempt } = state;
  const question = { ...pass, attempt };
  const isNewTry = attempt !== attemptOf(cache);
  const made: Note = {
    type: "Normal",
    reason: "DownloadJobCreated",
    message: `Job ${downloadNameOf(cache, attempt)} fetches ${cache.spec.sourceUri}`,
  };
  const download =
    state.is === "fetching" && (seen.download.is === "absent" || isNewTry)
      ? { ...emitJob(planDownload(question)), news: { made } }
      : kept(Job, downloadNameOf(cache, attempt));
  const measure =
    state.is === "measuring" && (seen.measure?.is !== "known" || isNewTry)
      ? emitJob(planMeasure(question))
      : kept(Job, measureNameOf(cache, attempt));
  return [...claimsOf(pass, state), download, measure];
}

/** The claim, made only when it is known how large it is to be and that there is room. */
function claimsOf(pass: Pass, state: CacheState): Desired[] {
  if (state.is === "reclaiming") return [];
  const { cache, seen, settings } = pass;
  const name = seen.claimName ?? claimNameOf(cache);
  const bytes = sizeOf(pass);
  if (state.is !== "claiming" || seen.claim.is === "known" || bytes === undefined)
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
