import { logOnce, logTail, type PodSeen } from "@trivium/domain";
import { summarizePod } from "@trivium/engines";
import { Job, type Kind, PersistentVolumeClaim, Pod, StorageClass } from "@trivium/kube";
import type { Look } from "@trivium/reconcile";
import { type Fact, type Instant, known, parseTime } from "@trivium/std";
import { AIMService } from "../kinds/service.ts";
import { observeRuntimeConfig, type RuntimeConfigSeen, runtimeConfigKinds } from "../runtime-config/resolve.ts";
import { attemptOf, claimNameOf, downloadNameOf, type ModelCache, measureNameOf } from "./names.ts";

export interface JobSeen {
  readonly state: "running" | "succeeded" | "failed";
  readonly endedAt?: Instant;
  readonly pods: readonly PodSeen[];
}

export interface ModelCacheSeen {
  readonly config: RuntimeConfigSeen;
  readonly claim: Fact<{ readonly phase: string; readonly waitsForPod: boolean }>;
  readonly download: Fact<JobSeen>;
  /** The end of the log of a download that runs. */
  readonly progress?: Fact<string>;
  /** The Job that finds out how large the weights are; only where nobody says. */
  readonly measure?: Fact<JobSeen>;
  readonly measured?: Fact<string>;
  /** When services started to use the weights. */
  readonly users: readonly string[];
}

export const modelCacheReads = [
  ...runtimeConfigKinds,
  PersistentVolumeClaim,
  StorageClass,
  Job,
  Pod,
  AIMService,
] as const satisfies readonly Kind[];
type CacheLook = Look<(typeof modelCacheReads)[number]>;

export function observeModelCache(cache: ModelCache, look: CacheLook): ModelCacheSeen {
  const { namespace = "" } = cache.metadata;
  const attempt = attemptOf(cache);
  const download = observeJob(cache, downloadNameOf(cache, attempt), look);
  return {
    config: observeRuntimeConfig(look, { name: cache.spec.runtimeConfigName, namespace }),
    claim: observeClaim(cache, look),
    download,
    ...observeProgress(cache, download, look),
    ...observeSize(cache, look, attempt),
    users: observeUsers(cache, look),
  };
}

function observeClaim({ metadata, ...cache }: ModelCache, look: CacheLook): ModelCacheSeen["claim"] {
  const name = claimNameOf({ metadata, ...cache });
  const claim = look.get(PersistentVolumeClaim, { namespace: metadata.namespace, name });
  if (claim.is !== "known") return claim;
  const className = claim.value.spec?.storageClassName ?? "";
  const storage = className === "" ? undefined : look.get(StorageClass, { name: className });
  const waitsForPod = storage?.is === "known" && storage.value.volumeBindingMode === "WaitForFirstConsumer";
  return known({ phase: claim.value.status?.phase ?? "Pending", waitsForPod });
}

function observeJob({ metadata }: ModelCache, name: string, look: CacheLook): Fact<JobSeen> {
  const { namespace } = metadata;
  const job = look.get(Job, { namespace, name });
  if (job.is !== "known") return job;
  const ended = (job.value.status?.conditions ?? []).find(
    ({ type, status }) => (type === "Complete" || type === "Failed") && status === "True",
  );
  const endedAt = parseTime(ended?.lastTransitionTime ?? "");
  const pods = look.list(Pod, { namespace, labels: { "batch.kubernetes.io/job-name": name } });
  return known({
    state: ended === undefined ? "running" : ended.type === "Complete" ? "succeeded" : "failed",
    ...(endedAt === undefined ? {} : { endedAt }),
    pods: pods.map((pod) => summarizePod(pod, "")).sort((a, b) => (a.name < b.name ? -1 : 1)),
  });
}

function observeProgress(
  { metadata }: ModelCache,
  job: Fact<JobSeen>,
  look: CacheLook,
): Pick<ModelCacheSeen, "progress"> {
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
  return { progress: look.ask(logTail, place) };
}

export const containerName = "model-download";

function observeSize(
  cache: ModelCache,
  look: CacheLook,
  attempt: number,
): Pick<ModelCacheSeen, "measure" | "measured"> {
  if (cache.spec.size !== undefined || cache.status?.discoveredSizeBytes !== undefined) return {};
  const measure = observeJob(cache, measureNameOf(cache, attempt), look);
  if (measure.is !== "known" || measure.value.state !== "succeeded") return { measure };
  const pod = measure.value.pods.find(({ phase }) => phase === "Succeeded");
  if (pod === undefined) return { measure };
  const { namespace = "" } = cache.metadata;
  const place = { namespace, pod: pod.name, container: containerName, restarts: 0, lines: 20 };
  return { measure, measured: look.ask(logOnce, place) };
}

function observeUsers({ metadata }: ModelCache, look: CacheLook): string[] {
  const { namespace, name = "" } = metadata;
  return look
    .list(AIMService, { namespace })
    .filter(({ status }) => status?.modelCaches !== undefined && Object.hasOwn(status.modelCaches, name))
    .flatMap(({ status }) => status?.conditions?.find(({ type }) => type === "CacheReady")?.lastTransitionTime ?? [])
    .sort();
}
