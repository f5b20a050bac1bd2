import {
  type BrokenFile,
  lastWarning,
  logOnce,
  logTail,
  type ModelHeader,
  modelHeader,
  type ObservedPod,
  type WarningReport,
} from "@trivium/domain";
import { isGgufFile, observePod, observeQuotas, podReads, sizeOfClaim } from "@trivium/engines";
import { type api, Job, type Kind, PersistentVolumeClaim, Pod, ResourceQuota, StorageClass } from "@trivium/kube";
import { type Part, type Reader, type Tolerated, tolerate } from "@trivium/reconcile";
import { type Fact, type Instant, known, parseTime, pending } from "@trivium/std";
import { AIMModelCache } from "../kinds/model-cache.ts";
import { AIMService } from "../kinds/service.ts";
import { AIMTemplateCache } from "../kinds/template-cache.ts";
import { annotations, labels } from "../labels.ts";
import { labelValueOf } from "../names.ts";
import {
  type ObservedRuntimeConfig,
  observeRuntimeConfig,
  runtimeConfigKinds,
} from "../runtime-config/settings/resolve.ts";
import type { TemplateCache } from "../template-cache/names/names.ts";
import {
  attemptOf,
  claimNameOf,
  downloadNameOf,
  type ModelCache,
  measureNameOf,
  otherClaimNameOf,
} from "./names/names.ts";

export interface ObservedJob {
  readonly state: "running" | "succeeded" | "failed";
  readonly endedAt?: Instant;
  readonly pods: readonly ObservedPod[];
  /** The newest warning about a pod that does not start. */
  readonly warning?: Tolerated<WarningReport>;
}

export interface ObservedModelCache {
  readonly config: ObservedRuntimeConfig;
  readonly claim: Fact<ObservedClaim>;
  /** Its name, where that is not the usual one. */
  readonly claimName?: string;
  /** What keeps a claim without a volume from getting one: its class does not exist, or what its newest warning reports. */
  readonly missingClass?: string;
  readonly claimWarning?: Tolerated<WarningReport>;
  readonly download: Fact<ObservedJob>;
  /** The end of the log of a download that runs. */
  readonly progress?: Tolerated<string>;
  /** The Job that finds out how large the weights are; only where nobody says. */
  readonly measure?: Fact<ObservedJob>;
  readonly measured?: Fact<string>;
  /** What the file says of its layers; only of a GGUF file, until the status has it. */
  readonly header?: Tolerated<ModelHeader | BrokenFile>;
  /** The template caches that it belongs to, where none of them may download yet. */
  readonly heldBy?: readonly string[];
  /** Services that use the weights. */
  readonly users: readonly ObservedUser[];
  /** What its Jobs must state for the quotas of the namespace. */
  readonly jobResources?: api.ResourceRequirements;
}

export interface ObservedClaim {
  readonly phase: string;
  readonly waitsForPod: boolean;
  /** How much it asks for. */
  readonly size?: string;
  /** How much its volume has, where that differs. */
  readonly capacity?: string;
  readonly isLeaving?: true;
}

export interface ObservedUser {
  readonly name: string;
  /** When it began to. */
  readonly since?: string;
}

export const modelCacheReads = [
  ...runtimeConfigKinds,
  ...podReads,
  Job,
  Pod,
  ResourceQuota,
  AIMService,
  AIMTemplateCache,
] as const satisfies readonly Kind[];
type CacheReader = Reader<(typeof modelCacheReads)[number]>;

export function observeModelCache(cache: ModelCache, reader: CacheReader): ObservedModelCache {
  const { namespace = "" } = cache.metadata;
  const attempt = attemptOf(cache);
  const quota = observeQuotas(namespace, reader);
  const download = observeJob(cache, downloadNameOf(cache, attempt), reader);
  return {
    config: observeRuntimeConfig(reader, { name: cache.spec.runtimeConfigName, namespace }),
    ...observeClaim(cache, reader),
    download,
    ...observeProgress(cache, download, reader),
    ...observeSize(cache, reader, attempt),
    ...observeHeader(cache, reader, attempt),
    ...observeHolders(cache, reader),
    ...(quota === undefined ? {} : { jobResources: quota }),
  };
}

/**
 * A claim that is on its way out, or belonged to a cache that is gone, is left to the pods that still use it: weights are fetched again
 * under another name, and services move over when they are there.
 */
function observeClaim(cache: ModelCache, reader: CacheReader): ClaimFacts & Pick<ObservedModelCache, "claimName"> {
  const { namespace } = cache.metadata;
  const usual = claimNameOf(cache);
  const last = cache.status?.persistentVolumeClaim;
  const names = [...new Set([...(last === undefined ? [] : [last]), usual, otherClaimNameOf(cache)])];
  for (const name of names) {
    const claim = reader.get(PersistentVolumeClaim, { namespace, name });
    if (claim.is === "known" && isLost(cache, claim.value)) continue;
    return { ...observedClaim(claim, reader), ...(name === usual ? {} : { claimName: name }) };
  }
  return observedClaim(reader.get(PersistentVolumeClaim, { namespace, name: usual }), reader);
}

type ClaimFacts = Pick<ObservedModelCache, "claim" | "missingClass" | "claimWarning">;

function isLost({ metadata: { uid } }: ModelCache, { metadata }: PersistentVolumeClaim): boolean {
  if (metadata.deletionTimestamp !== undefined) return true;
  return (metadata.ownerReferences ?? []).some((owner) => owner.kind === AIMModelCache.kind && owner.uid !== uid);
}

function observedClaim(claim: Fact<PersistentVolumeClaim>, reader: CacheReader): ClaimFacts {
  if (claim.is !== "known") return { claim };
  const { metadata, spec: asked, status } = claim.value;
  const className = asked?.storageClassName ?? "";
  const phase = status?.phase ?? "Pending";
  const storage = className === "" ? undefined : reader.get(StorageClass, { name: className });
  const size = asked?.resources?.requests?.storage;
  const capacity = sizeOfClaim(claim.value);
  const isClassMissing = phase === "Pending" && storage?.is === "absent";
  const { namespace = "", name = "", uid = "" } = metadata;
  const isStuck = phase === "Pending" && !isClassMissing;
  return {
    claim: known({
      phase,
      waitsForPod: storage?.is === "known" && storage.value.volumeBindingMode === "WaitForFirstConsumer",
      ...(size === undefined ? {} : { size: String(size) }),
      ...(capacity === undefined || capacity === String(size) ? {} : { capacity }),
      ...(metadata.deletionTimestamp === undefined ? {} : { isLeaving: true as const }),
    }),
    ...(isClassMissing ? { missingClass: className } : {}),
    ...(isStuck
      ? { claimWarning: tolerate(reader.ask(lastWarning, { namespace, kind: PersistentVolumeClaim.kind, name, uid })) }
      : {}),
  };
}

function observeJob({ metadata }: ModelCache, name: string, reader: CacheReader): Fact<ObservedJob> {
  const { namespace, uid } = metadata;
  const job = reader.get(Job, { namespace, name });
  if (job.is !== "known") return job;
  // The Job of a cache that is gone: it goes, too, and that wakes us.
  if (job.value.metadata.ownerReferences?.some((owner) => owner.kind === AIMModelCache.kind && owner.uid !== uid))
    return pending;
  const ended = (job.value.status?.conditions ?? []).find(
    ({ type, status }) => (type === "Complete" || type === "Failed") && status === "True",
  );
  const endedAt = parseTime(ended?.lastTransitionTime ?? "");
  const pods = reader.list(Pod, { namespace, labels: { "batch.kubernetes.io/job-name": name } });
  const state = ended === undefined ? "running" : ended.type === "Complete" ? "succeeded" : "failed";
  const waiting =
    state === "running" ? pods.find(({ status }) => (status?.phase ?? "Pending") === "Pending") : undefined;
  return known({
    state,
    ...(endedAt === undefined ? {} : { endedAt }),
    pods: pods.map((pod) => observePod(pod, "", reader)).sort((a, b) => (a.name < b.name ? -1 : 1)),
    ...(waiting === undefined ? {} : { warning: tolerate(reader.ask(lastWarning, placeOf(waiting))) }),
    // A Job has no condition for pods that it cannot create: only its Events tell.
    ...(state === "running" && pods.length === 0
      ? { warning: tolerate(reader.ask(lastWarning, placeOf(job.value))) }
      : {}),
  });
}

const placeOf = ({ kind, metadata: { namespace = "", name = "", uid = "" } }: Pod | Job) => ({
  namespace,
  kind,
  name,
  uid,
});

function observeProgress(
  { metadata }: ModelCache,
  job: Fact<ObservedJob>,
  reader: CacheReader,
): Pick<ObservedModelCache, "progress"> {
  if (job.is !== "known" || job.value.state !== "running") return {};
  const running = job.value.pods.find(({ containers }) => containers.some(({ state }) => state.is === "running"));
  if (running === undefined) return {};
  const place = {
    namespace: metadata.namespace ?? "",
    pod: running.name,
    container: containerName,
    restarts: 0,
    lines: 5,
  };
  return { progress: tolerate(reader.ask(logTail, place)) };
}

export const containerName = "model-download";

function observeSize(
  cache: ModelCache,
  reader: CacheReader,
  attempt: number,
): Pick<ObservedModelCache, "measure" | "measured"> {
  if (cache.spec.size !== undefined || cache.status?.discoveredSizeBytes !== undefined) return {};
  const measure = observeJob(cache, measureNameOf(cache, attempt), reader);
  if (measure.is !== "known" || measure.value.state !== "succeeded") return { measure };
  const pod = measure.value.pods.find(({ phase }) => phase === "Succeeded");
  if (pod === undefined) return { measure };
  const { namespace = "" } = cache.metadata;
  const place = { namespace, pod: pod.name, container: containerName, restarts: 0, lines: 20 };
  return { measure, measured: reader.ask(logOnce, place) };
}

/** A service reads it in the status of its cache, so the header is read once: as soon as the source has reported a size. */
function observeHeader(
  { spec, status }: ModelCache,
  reader: CacheReader,
  attempt: number,
): Pick<ObservedModelCache, "header"> {
  const isSized = spec.size !== undefined || status?.discoveredSizeBytes !== undefined;
  if (status?.weights !== undefined || !isSized || !isGgufFile(spec.sourceUri)) return {};
  // A file that was missing may be there at the next attempt.
  return { header: tolerate(reader.ask(modelHeader, { uri: spec.sourceUri, version: String(attempt) })) };
}

function observeHolders(cache: ModelCache, reader: CacheReader): Pick<ObservedModelCache, "heldBy" | "users"> {
  const holders = reader.listParts(AIMTemplateCache, { namespace: cache.metadata.namespace }, holderOf(cache));
  const isHeld = holders.every(({ holdsDownload }) => holdsDownload);
  return {
    ...(isHeld && holders.length > 0 ? { heldBy: holders.map(({ name }) => name).sort() } : {}),
    users: observeUsers(cache, holders, reader),
  };
}

/** A template cache that these weights belong to. */
interface Holder {
  readonly name: string;
  readonly holdsDownload: boolean;
}

/** A namespace has many template caches, and their progress changes often. */
function holderOf({ metadata }: ModelCache): Part<TemplateCache, Holder | undefined> {
  const { name = "", labels: own = {} } = metadata;
  const holder = own[labels.templateCache];
  return {
    name: `holder of ${name}, ${holder}`,
    of: ({ metadata: { name: found = "", annotations: notes }, status }) => {
      const isHolder =
        (status?.modelCaches !== undefined && Object.hasOwn(status.modelCaches, name)) ||
        holder === labelValueOf(found);
      return isHolder ? { name: found, holdsDownload: notes?.[annotations.holdDownload] === "true" } : undefined;
    },
  };
}

/** Services find weights through template caches; only those of the ones that hold these weights are looked at, since services are many. */
function observeUsers(
  { metadata: { namespace, name = "" } }: ModelCache,
  holders: readonly Holder[],
  reader: CacheReader,
): ObservedUser[] {
  return holders
    .flatMap((holder) => {
      const fields = { "status.resolvedTemplateCache.name": holder.name };
      return reader.list(AIMService, { namespace, fields });
    })
    .filter(({ status }) => status?.modelCaches !== undefined && Object.hasOwn(status.modelCaches, name))
    .map((service) => {
      const since = service.status?.conditions?.find(({ type }) => type === "CacheReady")?.lastTransitionTime;
      return { name: service.metadata.name ?? "", ...(since === undefined ? {} : { since }) };
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}
