import { Job, PersistentVolumeClaim } from "@trivium/kube";
import { type Decision, hasUnresolved, type Reconciler } from "@trivium/reconcile";
import { cachePaths } from "../field-paths.ts";
import { AIMModelCache } from "../kinds/model-cache.ts";
import type { AimOptions } from "../options.ts";
import { type RefusedReasons, raiseRefused } from "../refused.ts";
import { defaultTerms, type Terms } from "../terms.ts";
import { lowerModelCache } from "./lower.ts";
import type { ModelCache, ModelCacheStatus } from "./names/names.ts";
import { modelCacheReads, type ObservedModelCache, observeModelCache } from "./observe.ts";
import { raiseModelCache } from "./raise.ts";
import { emitCache } from "./weights/children.ts";

const refusedWords: RefusedReasons = {
  paths: cachePaths,
  state: "Failed",
  parts: { PersistentVolumeClaim: "StorageReady" },
  also: ["DownloadComplete"],
};

export function modelCacheReconciler(
  options: AimOptions,
  terms: Terms = defaultTerms,
): Reconciler<ModelCache, ObservedModelCache, (typeof modelCacheReads)[number]> {
  return {
    name: "aim.model-cache",
    kind: AIMModelCache,
    reads: modelCacheReads,
    writes: [PersistentVolumeClaim, Job],
    observe: observeModelCache,
    decide(cache, observed, now): Decision<ModelCacheStatus> {
      if (hasUnresolved(observed)) return { do: "hold", status: cache.status ?? {} };
      const lowered = lowerModelCache(cache, observed, { options, now });
      const raised = raiseModelCache(lowered, terms);
      if (lowered.is === "unconfigured") return { do: "hold", ...raised };
      return { do: "converge", children: emitCache(lowered.pass, lowered.state), ...raised };
    },
    refused(cache, status, refusals) {
      const refused = raiseRefused(refusedWords, cache, status, refusals);
      const message = refused.conditions?.find(({ type }) => type === "Failure")?.message;
      return message === undefined ? refused : { ...refused, download: { ...refused.download, message } };
    },
  };
}
