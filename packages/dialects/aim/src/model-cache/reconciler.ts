import { emitClaim, emitJob } from "@trivium/emitters";
import { Job, PersistentVolumeClaim } from "@trivium/kube";
import type { Decision, Desired, Note, Reconciler } from "@trivium/reconcile";
import type { Fact } from "@trivium/std";
import { AIMModelCache } from "../kinds/model-cache.ts";
import type { AimOptions } from "../options.ts";
import { resolveRuntimeConfig } from "../runtime-config/resolve.ts";
import { claimSize, usualHeadroom } from "../storage/claim-size.ts";
import { labelsOf, planDownload, planMeasure } from "./jobs.ts";
import { judge, type Pass } from "./judge.ts";
import {
  attemptOf,
  claimNameOf,
  downloadNameOf,
  type ModelCache,
  type ModelCacheStatus,
  measureNameOf,
} from "./names.ts";
import { type ModelCacheSeen, modelCacheReads, observeModelCache } from "./observe.ts";
import { type CacheState, raiseModelCache } from "./raise.ts";

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
        const state: CacheState = {
          is: "stuck",
          attempt: attemptOf(cache),
          fault: { reason: "RuntimeConfigMissing", message: config.message },
        };
        return { do: "hold", ...raiseModelCache(cache, { state, seen, settings: undefined }) };
      }
      return converge({ cache, seen, settings: config.settings, options, now });
    },
  };
}

const isDark = ({ is }: Fact<unknown>): boolean => is === "pending" || is === "unreachable";

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
  const { cache, seen, settings } = pass;
  const attempt = "attempt" in state ? state.attempt : 1;
  const question = { ...pass, attempt };
  const bytes = "bytes" in state ? state.bytes : undefined;
  const kept = (kind: typeof Job | typeof PersistentVolumeClaim, name: string): Desired => ({
    kind,
    object: {
      apiVersion: kind.group === "" ? kind.version : `${kind.group}/${kind.version}`,
      kind: kind.kind,
      metadata: { name },
    },
    keep: true,
  });
  const claim =
    bytes === undefined || seen.claim.is === "known"
      ? kept(PersistentVolumeClaim, claimNameOf(cache))
      : emitClaim({
          name: claimNameOf(cache),
          labels: labelsOf(cache, settings),
          size: claimSize(bytes, settings.headroomPercent ?? usualHeadroom),
          accessMode: "ReadWriteMany",
          storageClass: cache.spec.storageClassName ?? settings.storageClassName,
          life: "owned",
        });
  const made: Note = {
    type: "Normal",
    reason: "DownloadJobCreated",
    message: `Job ${downloadNameOf(cache, attempt)} fetches ${cache.spec.sourceUri}`,
  };
  const download =
    state.is === "fetching" && (seen.download.is === "absent" || attempt !== attemptOf(cache))
      ? { ...emitJob(planDownload(question)), news: { made } }
      : kept(Job, downloadNameOf(cache, attempt));
  const measure =
    state.is === "measuring" && (seen.measure?.is !== "known" || attempt !== attemptOf(cache))
      ? emitJob(planMeasure(question))
      : kept(Job, measureNameOf(cache, attempt));
  return [claim, download, measure];
}
