import type { ClaimPlan } from "@trivium/domain";
import { type api, apiVersionOf } from "@trivium/kube";
import type { Desired, Patch } from "@trivium/reconcile";
import { bareKind } from "../../bare-kind.ts";
import { group } from "../../group.ts";
import { AIMTemplateCache } from "../../kinds/template-cache.ts";
import { annotations, labels } from "../../labels.ts";
import { isLocal } from "../../model-cache/weights/local-source.ts";
import { labelValueOf } from "../../names.ts";
import { mergeEnv } from "../../runtime-config/settings/merge-env.ts";
import type { Settings } from "../../runtime-config/settings/merge-settings.ts";
import { propagateLabels } from "../../runtime-config/settings/propagate-labels.ts";
import { bytesOf, claimSize, defaultHeadroom } from "../../storage/claim-size.ts";
import { dedicatedCacheOf, type Service, temporaryClaimOf } from "../names/names.ts";
import {
  isRunning,
  type ObservedService,
  type ObservedTemplate,
  type ObservedTemplateCache,
} from "../observed/observed-service.ts";
import { type CachingMode, cachingModeOf } from "./caching-mode.ts";
import { folderOf, modelIdOf, sourcesOf, volumeNameOf } from "./sources.ts";

/** Where the weights of a service are. */
export type CachePlan = {
  readonly mode: CachingMode;
  /** The template cache in use or waited for. */
  readonly cache?: ObservedTemplateCache;
  readonly children: readonly Desired[];
  /** Lets a cache of several services download. */
  readonly patches?: readonly Patch[];
} & (
  | ({ readonly is: "cached" } & Placed)
  | ({ readonly is: "temporary"; readonly claim: ClaimPlan } & Placed)
  | {
      readonly is: "waiting";
      readonly reason: "WaitingForCache" | "CacheWarming" | "CacheLost" | "CacheCreating" | "DownloadFailing";
      readonly message: string;
    }
  | { readonly is: "failed"; readonly reason: "CacheFailed" | "StorageSizeError"; readonly message: string }
);

interface Placed {
  readonly volumes: readonly api.Volume[];
  readonly mounts: readonly api.VolumeMount[];
}

interface CacheInput {
  readonly service: Service;
  readonly template: ObservedTemplate;
  readonly settings: Settings;
  readonly observed: ObservedService;
  readonly root: string;
  /** Whether the weights fit is known only once they are measured: they are not downloaded before. */
  readonly isHeld: boolean;
}

export function planCache(input: CacheInput): CachePlan {
  const mode = cachingModeOf(input.service);
  if (runsOnOwnVolume(input.observed)) return planTemporary(input);
  return mode === "Auto" ? planAuto(input) : planKept(input, mode);
}

/** What runs on a volume of its own is not moved because a cache appears, or is asked for later. */
export const runsOnOwnVolume = (observed: ObservedService): boolean =>
  isRunning(observed) && observed.temporaryClaim.is === "known";

/** What is there is used; a cache that failed, or none, leaves the fetching to the container. */
function planAuto(input: CacheInput): CachePlan {
  const { template, observed } = input;
  // No container reaches files of a node by itself.
  if (sourcesOf(template).some(isLocal)) return planKept(input, "Shared");
  const cache = bestCache(observed.caches, template.name, "Shared");
  if (cache === undefined || stateOf(cache) === "Failed") return planTemporary(input);
  if (isAvailable(cache)) return cached("Auto", cache, input);
  const message = causeOf(cache) ?? `Waiting for AIMTemplateCache ${cache.name}${reportOf(cache)}`;
  return {
    is: "waiting",
    mode: "Auto",
    cache,
    children: [],
    ...released(cache, input),
    reason: isFailing(cache) ? "DownloadFailing" : "CacheWarming",
    message,
  };
}

function planKept(input: CacheInput, mode: "Shared" | "Dedicated"): CachePlan {
  const { service, template, observed } = input;
  const name = mode === "Shared" ? template.name : dedicatedCacheOf(service, template.name);
  const cache =
    mode === "Shared"
      ? bestCache(observed.caches, template.name, "Shared")
      : observed.caches.find((one) => one.name === name && !one.isLeaving);
  // One that everybody may use is made once; one of our own is ours to keep as it should be.
  const children = mode === "Dedicated" || cache === undefined ? [templateCache(input, name, mode)] : [];
  if (cache !== undefined && isAvailable(cache)) return { ...cached(mode, cache, input), children };
  if (cache !== undefined && stateOf(cache) === "Failed") {
    const why = cache.status?.conditions?.find(({ type, status }) => type === "Failure" && status === "True")?.message;
    const message = why ?? `AIMTemplateCache ${cache.name} failed; check its status`;
    return { is: "failed", mode, cache, children, reason: "CacheFailed", message };
  }
  const runs = isRunning(observed);
  const lost = mode === "Shared" ? "CacheLost" : "CacheCreating";
  const waiting = cache !== undefined && isFailing(cache) ? "DownloadFailing" : "WaitingForCache";
  const reason = runs ? lost : waiting;
  const what = `AIMTemplateCache ${cache?.name ?? name}`;
  const starting = `${cache === undefined ? "Creating" : "Waiting for"} ${what}`;
  const progress = `${runs ? `${what} was deleted; downloading the weights again` : starting}${reportOf(cache)}`;
  const message = (runs ? undefined : causeOf(cache)) ?? progress;
  const shared = mode === "Shared" && cache !== undefined ? released(cache, input) : {};
  return { is: "waiting", mode, ...(cache === undefined ? {} : { cache }), children, ...shared, reason, message };
}

/** One service that fits is enough for all that share a cache. */
function released({ name, isHeld }: ObservedTemplateCache, input: CacheInput): Pick<CachePlan, "patches"> {
  if (isHeld !== true || input.isHeld) return {};
  const metadata = {
    name,
    namespace: input.service.metadata.namespace ?? "",
    annotations: { [annotations.holdDownload]: "false" },
  };
  const object = { apiVersion: apiVersionOf(AIMTemplateCache), kind: AIMTemplateCache.kind, metadata };
  return { patches: [{ patch: "fields", kind: bareKind(AIMTemplateCache), object }] };
}

/** What the cache itself reports. */
function reportOf(cache: ObservedTemplateCache | undefined): string {
  const reported = readyOf(cache)?.message;
  return reported ? `: ${reported}` : "";
}

/** Of a download that fails: what is waited for is no news then. */
const causeOf = (cache: ObservedTemplateCache | undefined): string | undefined =>
  cache !== undefined && isFailing(cache) ? readyOf(cache)?.message || undefined : undefined;

const readyOf = (cache: ObservedTemplateCache | undefined) =>
  cache?.status?.conditions?.find(({ type }) => type === "Ready");

export const stateOf = ({ status }: ObservedTemplateCache): string =>
  (status?.status as string | undefined) ?? "Pending";
export const isAvailable = (cache: ObservedTemplateCache): boolean => ["Available", "Ready"].includes(stateOf(cache));

/** What is tried again automatically has failed all the same until it works. */
const isFailing = (cache: ObservedTemplateCache): boolean => readyOf(cache)?.reason === "DownloadFailing";

const order = ["Available", "Ready", "Progressing", "Pending", "Failed"];

/** Of several caches for one template the one that is furthest. */
function bestCache(
  caches: readonly ObservedTemplateCache[],
  template: string,
  mode: "Shared" | "Dedicated",
): ObservedTemplateCache | undefined {
  const rank = (cache: ObservedTemplateCache): number =>
    (order.indexOf(stateOf(cache)) + order.length + 1) % (order.length + 1);
  return caches
    .filter(({ spec, isLeaving }) => !isLeaving && (spec.templateRef ?? spec.templateName) === template)
    .filter(({ spec }) => (spec.mode ?? "Shared") === mode)
    .sort((a, b) => rank(a) - rank(b) || (a.name < b.name ? -1 : 1))[0];
}

function cached(mode: CachingMode, cache: ObservedTemplateCache, { root }: CacheInput): CachePlan {
  const entries = Object.entries(cache.status?.modelCaches ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  const held = entries.flatMap(([key, { name = key, model = key, persistentVolumeClaim }]) =>
    persistentVolumeClaim
      ? [{ name: volumeNameOf(name), claim: persistentVolumeClaim, at: folderOf(root, model) }]
      : [],
  );
  return {
    is: "cached",
    mode,
    cache,
    children: [],
    volumes: held.map(({ name, claim }) => ({ name, persistentVolumeClaim: { claimName: claim } })),
    mounts: held.map(({ name, at }) => ({ name, mountPath: at })),
  };
}

/** A volume of the service alone, into which the container fetches by itself. */
function planTemporary({ service, template, settings, root }: CacheInput): CachePlan {
  const sources = sourcesOf(template);
  const sizes = sources.map(({ size }) => bytesOf(size));
  const unsized = sources.find((_, at) => sizes[at] === undefined);
  if (unsized !== undefined) {
    const message = `Size of ${modelIdOf(unsized)} is unknown, so no volume can be provisioned; set its size in the template, or set spec.caching.mode to Shared, which resolves the size`;
    return { is: "failed", mode: "Auto", children: [], reason: "StorageSizeError", message };
  }
  const bytes = sizes.reduce<bigint>((sum, size) => sum + (size ?? 0n), 0n);
  const name = temporaryClaimOf(service);
  const own = {
    [labels.serviceName]: labelValueOf(service.metadata.name ?? ""),
    [labels.template]: labelValueOf(template.name),
    [labels.modelId]: labelValueOf(sources[0] === undefined ? template.name : modelIdOf(sources[0])),
    [labels.cacheType]: "temporary-service-cache",
    [labels.component]: "model-storage",
    [labels.managedBy]: "aim-service-controller",
  };
  const claim: ClaimPlan = {
    name,
    labels: propagateLabels(settings, service.metadata.labels, own),
    size: claimSize(bytes, settings.headroomPercent ?? defaultHeadroom),
    accessMode: settings.accessMode ?? "ReadWriteMany",
    storageClass: settings.storageClassName,
    life: "owned",
  };
  return {
    is: "temporary",
    mode: "Auto",
    children: [],
    claim,
    volumes: [{ name: "model-storage", persistentVolumeClaim: { claimName: name } }],
    mounts: [{ name: "model-storage", mountPath: root }],
  };
}

function templateCache(
  { service, template, settings, isHeld }: CacheInput,
  name: string,
  mode: "Shared" | "Dedicated",
): Desired {
  const { spec, metadata } = service;
  const env = mergeEnv(spec.env, spec.caching?.env);
  const own = { [labels.serviceName]: labelValueOf(metadata.name ?? "") };
  const owner = {
    apiVersion: `${group.group}/${group.version}`,
    kind: "AIMServiceTemplate",
    name: template.name,
    uid: template.uid,
  };
  const isOwnedByTemplate = mode === "Shared" && template.scope === "Namespace";
  const object = {
    apiVersion: apiVersionOf(AIMTemplateCache),
    kind: AIMTemplateCache.kind,
    metadata: {
      name,
      labels: propagateLabels(settings, metadata.labels, own),
      ...(isHeld ? { annotations: { [annotations.holdDownload]: "true" } } : {}),
      ...(isOwnedByTemplate ? { ownerReferences: [owner] } : {}),
    },
    spec: {
      templateRef: template.name,
      templateScope: template.scope,
      mode,
      ...(env.length === 0 ? {} : { env }),
      ...(spec.imagePullSecrets === undefined ? {} : { imagePullSecrets: spec.imagePullSecrets }),
      ...(settings.storageClassName === undefined ? {} : { storageClassName: settings.storageClassName }),
      ...(spec.runtimeConfigName === undefined ? {} : { runtimeConfigName: spec.runtimeConfigName }),
    },
  };
  const desired: Desired = { kind: AIMTemplateCache, object };
  return mode === "Shared" ? { ...desired, outlivesOwner: true, createOnly: true } : desired;
}
