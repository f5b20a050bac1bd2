import { emitClaim, emitJob, keepObject } from "@trivium/emitters";
import { Job, PersistentVolumeClaim } from "@trivium/kube";
import type { Desired } from "@trivium/reconcile";
import { jobCreated } from "../events.ts";
import type { CachePass } from "../health/cache-pass.ts";
import type { CacheState } from "../health/cache-state.ts";
import { downloadNameOf, measureNameOf } from "../names/names.ts";
import { labelsOf, planDownload, planMeasure } from "./jobs.ts";

export function emitCache(pass: CachePass, state: CacheState): Desired[] {
  const { cache, observed } = pass;
  const { attempt } = state;
  const input = { ...pass, attempt };
  const isNewTry = attempt !== pass.attempt;
  const [download, measure] = [downloadNameOf(cache, attempt), measureNameOf(cache, attempt)];
  const isDownloaded = isDoing(state, "transfer") && (observed.download.is === "absent" || isNewTry);
  const isMeasured = isDoing(state, "inspection") && (observed.measure?.is !== "known" || isNewTry);
  return [
    ...claimsOf(pass, state),
    isDownloaded
      ? { ...emitJob(planDownload(input)), events: { made: jobCreated(download, cache) } }
      : keepObject(Job, { name: download }),
    isMeasured ? emitJob(planMeasure(input)) : keepObject(Job, { name: measure }),
  ];
}

const isDoing = (state: CacheState, step: "inspection" | "transfer"): boolean =>
  state.is === "rechecking" ? state.of === step : state.is === (step === "transfer" ? "fetching" : "measuring");

/** The claim is created only when its size is known and the namespace has space for it. */
function claimsOf({ cache, observed, settings, claimName, claimSize }: CachePass, state: CacheState): Desired[] {
  if (state.is === "reclaiming") return [];
  if (state.is !== "claiming" || observed.claim.is === "known" || claimSize === undefined)
    return [keepObject(PersistentVolumeClaim, { name: claimName })];
  return [
    emitClaim({
      name: claimName,
      labels: labelsOf(cache, settings),
      size: claimSize,
      accessMode: settings.accessMode ?? "ReadWriteMany",
      storageClass: cache.spec.storageClassName ?? settings.storageClassName,
      life: "owned",
    }),
  ];
}
