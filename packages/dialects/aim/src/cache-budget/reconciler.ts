import { type Kind, Namespace, Pod } from "@trivium/kube";
import type { Patch, Reader, Reconciler } from "@trivium/reconcile";
import { bareKind } from "../bare-kind.ts";
import { AIMModelCache } from "../kinds/model-cache.ts";
import { AIMService } from "../kinds/service.ts";
import { AIMTemplateCache } from "../kinds/template-cache.ts";
import { annotations, labels } from "../labels.ts";
import { claimNameOf, type ModelCache } from "../model-cache/names/names.ts";
import {
  type ObservedRuntimeConfig,
  observeRuntimeConfig,
  resolveRuntimeConfig,
  runtimeConfigKinds,
} from "../runtime-config/settings/resolve.ts";
import { bytesOf } from "../storage/claim-size.ts";
import type { TemplateCache } from "../template-cache/names/names.ts";
import { type CacheWeight, planSpace, type SpaceGrant } from "./free-space.ts";

export interface ObservedBudget {
  /** By the name under which caches of the namespace refer to them. */
  readonly configs: Readonly<Record<string, ObservedRuntimeConfig>>;
  readonly caches: readonly ObservedCache[];
  /** Template caches that hold weights of which something may have to go. */
  readonly holders: readonly ObservedHolder[];
  /** Names of claims that pods mount, and of caches that services use. */
  readonly inUse: readonly string[];
}

export interface ObservedCache {
  readonly name: string;
  readonly uid: string;
  readonly config: string;
  readonly claim: string;
  readonly size?: string;
  readonly hasClaim: boolean;
  readonly space?: string;
  readonly spaceReason?: string;
  readonly isAvailable: boolean;
  readonly isLeaving: boolean;
  readonly isOwned: boolean;
  readonly isKept: boolean;
  readonly lastUsed: string;
  readonly createdAt: string;
}

/** A template cache keeps its weights, unless it was made along with a service and no service uses it any more. */
export interface ObservedHolder {
  readonly name: string;
  readonly uid: string;
  readonly caches: readonly string[];
  readonly isPinned: boolean;
}

const reads = [
  ...runtimeConfigKinds,
  AIMModelCache,
  AIMTemplateCache,
  AIMService,
  Pod,
] as const satisfies readonly Kind[];
type BudgetReader = Reader<(typeof reads)[number]>;

/** How much the model caches of a namespace may take together is decided for all of them in one pass. */
export function cacheBudget(): Reconciler<Namespace, ObservedBudget, (typeof reads)[number]> {
  return {
    name: "aim.cache-budget",
    kind: Namespace,
    reads,
    writes: [AIMModelCache, AIMTemplateCache],
    observe,
    decide({ metadata, status }, observed) {
      const namespace = metadata.name ?? "";
      const patches = metadata.deletionTimestamp === undefined ? share(namespace, observed) : [];
      return { do: "converge", children: [], patches, status: status ?? {} };
    },
  };
}

function observe({ metadata }: Namespace, reader: BudgetReader): ObservedBudget {
  const namespace = metadata.name ?? "";
  const found = reader.list(AIMModelCache, { namespace });
  const names = [...new Set(found.map(configNameOf))].sort();
  const configs = Object.fromEntries(names.map((name) => [name, observeRuntimeConfig(reader, { name, namespace })]));
  // Most namespaces have no budget; then it does not matter who uses what.
  const isLimited = Object.values(configs).some((config) => budgetOf(config) !== undefined);
  if (!isLimited) return { configs: {}, caches: [], holders: [], inUse: [] };
  const services = reader.list(AIMService, { namespace });
  const used = services.flatMap(({ status }) => Object.keys(status?.modelCaches ?? {}));
  const templateCaches = new Set(services.flatMap(({ status }) => status?.resolvedTemplateCache?.name ?? []));
  return {
    configs,
    caches: found.map(observedCache).sort(byName),
    holders: reader
      .list(AIMTemplateCache, { namespace })
      .map((one) => observedHolder(one, templateCaches))
      .sort(byName),
    inUse: [...new Set([...used, ...reader.list(Pod, { namespace }).flatMap(mountedClaims)])].sort(),
  };
}

const byName = (a: { readonly name: string }, b: { readonly name: string }): number => (a.name < b.name ? -1 : 1);
const configNameOf = ({ spec }: ModelCache): string => spec.runtimeConfigName?.trim() || "default";

function observedCache(cache: ModelCache): ObservedCache {
  const { name = "", uid = "", ownerReferences = [], annotations: notes, creationTimestamp = "" } = cache.metadata;
  const { status } = cache;
  const size = status?.allocatedSize;
  const space = notes?.[annotations.cacheSpace];
  const spaceReason = notes?.[annotations.cacheSpaceReason];
  const unused = status?.conditions?.find((one) => one.type === "InUse" && one.status === "False");
  const ended = status?.lastUsed === undefined ? "" : (unused?.lastTransitionTime ?? "");
  return {
    name,
    uid,
    config: configNameOf(cache),
    claim: status?.persistentVolumeClaim ?? claimNameOf(cache),
    ...(size === undefined ? {} : { size: String(size) }),
    hasClaim: status?.persistentVolumeClaim !== undefined,
    ...(space === undefined ? {} : { space }),
    ...(spaceReason === undefined ? {} : { spaceReason }),
    isAvailable: status?.status === "Available",
    isLeaving: cache.metadata.deletionTimestamp !== undefined,
    isOwned: ownerReferences.length > 0,
    isKept: notes?.[annotations.keep] === "true",
    lastUsed: [creationTimestamp, status?.lastUsed ?? "", ended].sort().at(-1) ?? "",
    createdAt: creationTimestamp,
  };
}

function observedHolder({ metadata, spec, status }: TemplateCache, used: ReadonlySet<string>): ObservedHolder {
  const { name = "", uid = "" } = metadata;
  const isForServices = metadata.labels?.[labels.serviceName] !== undefined && spec.mode !== "Dedicated";
  const isControlled = metadata.ownerReferences?.some(({ controller }) => controller) === true;
  const isKept = metadata.annotations?.[annotations.keep] === "true";
  const isPinned = !isForServices || isControlled || isKept || used.has(name);
  return { name, uid, caches: Object.keys(status?.modelCaches ?? {}).sort(), isPinned };
}

/** Pods that are over mount nothing. */
function mountedClaims({ spec, status }: Pod): string[] {
  if (status?.phase === "Succeeded" || status?.phase === "Failed") return [];
  return (spec?.volumes ?? []).flatMap(({ persistentVolumeClaim: claim }) => claim?.claimName ?? []);
}

function budgetOf(observed: ObservedRuntimeConfig): number | undefined {
  const config = resolveRuntimeConfig(observed);
  const bytes = config.is === "resolved" ? bytesOf(config.settings.maxCacheBytes) : undefined;
  return bytes === undefined ? undefined : Number(bytes);
}

function share(namespace: string, { configs, inUse, ...observed }: ObservedBudget): Patch[] {
  const [caches, holders] = [observed.caches.toSorted(byName), observed.holders.toSorted(byName)];
  const used = new Set(inUse);
  const weights = caches.map((cache): CacheWeight => {
    const config = configs[cache.config];
    const budget = config === undefined ? undefined : budgetOf(config);
    const bytes = bytesOf(cache.size);
    const pinnedBy = pinOf(cache, { holders, used });
    const holds = cache.hasClaim || cache.space === "granted";
    return {
      name: cache.name,
      uid: cache.uid,
      is: cache.isLeaving ? "leaves" : holds ? "holds" : "wants",
      lastUsed: cache.lastUsed,
      createdAt: cache.createdAt,
      ...(bytes === undefined ? {} : { bytes: Number(bytes) }),
      ...(budget === undefined ? {} : { budget }),
      ...(pinnedBy === undefined ? {} : { pinnedBy }),
    };
  });
  const { spaces, evicted } = planSpace(namespace, weights);
  const gone = new Set(evicted.keys());
  const empty = holders.filter((holder) => !holder.isPinned && holder.caches.some((name) => gone.has(name)));
  return [
    ...caches.flatMap((cache) => spacePatch(namespace, cache, spaces.get(cache.name))),
    // First whoever would have the weights made again.
    ...empty.map((holder) => removal(AIMTemplateCache, holder, namespace)),
    ...caches.flatMap((cache) => {
      const wanted = evicted.get(cache.name);
      return wanted === undefined
        ? []
        : [{ ...removal(AIMModelCache, cache, namespace), events: evictionEvent(cache, wanted) }];
    }),
  ];
}

/** Why weights must stay, whatever room is needed. */
function pinOf(
  cache: ObservedCache,
  { holders, used }: { holders: readonly ObservedHolder[]; used: ReadonlySet<string> },
): string | undefined {
  if (used.has(cache.name) || used.has(cache.claim)) return "in use";
  if (cache.isKept) return "marked to be kept";
  if (cache.isOwned) return "owned";
  if (!cache.isAvailable) return "still downloading";
  const holder = holders.find(({ isPinned, caches }) => isPinned && caches.includes(cache.name));
  return holder === undefined ? undefined : `used by AIMTemplateCache ${holder.name}`;
}

function spacePatch(namespace: string, cache: ObservedCache, space: SpaceGrant | undefined): Patch[] {
  if (space === undefined) return [];
  const why = space.is === "granted" ? {} : { [annotations.cacheSpaceReason]: space.why };
  const kind = bareKind(AIMModelCache);
  const metadata = { namespace, name: cache.name, annotations: { [annotations.cacheSpace]: space.is, ...why } };
  return [
    { patch: "fields", kind, object: { apiVersion: `${kind.group}/${kind.version}`, kind: kind.kind, metadata } },
  ];
}

const removal = (kind: Kind, { name, uid }: { name: string; uid: string }, namespace: string): Patch => ({
  patch: "delete",
  kind: bareKind(kind),
  ref: { namespace, name },
  uid,
});

const evictionEvent = ({ lastUsed }: ObservedCache, wanted: string) =>
  ({
    type: "Normal",
    reason: "CacheEvicted",
    message: `Deleted to free space for AIMModelCache ${wanted}: not used since ${lastUsed}`,
  }) as const;
