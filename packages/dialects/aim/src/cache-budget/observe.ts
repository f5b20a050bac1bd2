import { type Kind, type Namespace, Pod } from "@trivium/kube";
import type { Part, Reader } from "@trivium/reconcile";
import { absent, type Fact, known, pending } from "@trivium/std";
import { AIMModelCache } from "../kinds/model-cache.ts";
import { AIMService } from "../kinds/service.ts";
import { AIMTemplateCache } from "../kinds/template-cache.ts";
import { annotations, labels } from "../labels.ts";
import { claimNameOf, type ModelCache } from "../model-cache/names/names.ts";
import { observeRuntimeConfig, resolveRuntimeConfig, runtimeConfigKinds } from "../runtime-config/settings/resolve.ts";
import { bytesOf } from "../storage/claim-size.ts";
import type { TemplateCache } from "../template-cache/names/names.ts";

export interface ObservedBudget {
  /** Bytes that caches can use together, by the name of the runtime config that they refer to; absent where it sets no limit. */
  readonly budgets: Readonly<Record<string, Fact<number>>>;
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

export const budgetReads = [
  ...runtimeConfigKinds,
  AIMModelCache,
  AIMTemplateCache,
  AIMService,
  Pod,
] as const satisfies readonly Kind[];
type BudgetReader = Reader<(typeof budgetReads)[number]>;

export function observeBudget({ metadata }: Namespace, reader: BudgetReader): ObservedBudget {
  const namespace = metadata.name ?? "";
  const names = [...new Set(reader.listParts(AIMModelCache, { namespace }, configName))].sort();
  const budgets = Object.fromEntries(names.map((name) => [name, observeLimit(reader, { name, namespace })]));
  // Most namespaces have no budget; then it does not matter which service uses what.
  if (Object.values(budgets).every(({ is }) => is === "absent")) return { budgets, caches: [], holders: [], inUse: [] };
  const found = reader.list(AIMModelCache, { namespace });
  const services = reader.list(AIMService, { namespace });
  const used = services.flatMap(({ status }) => Object.keys(status?.modelCaches ?? {}));
  const templateCaches = new Set(services.flatMap(({ status }) => status?.resolvedTemplateCache?.name ?? []));
  return {
    budgets,
    caches: found.map(observedCache).sort(byName),
    holders: reader
      .list(AIMTemplateCache, { namespace })
      .map((one) => observedHolder(one, templateCaches))
      .sort(byName),
    inUse: [...new Set([...used, ...reader.list(Pod, { namespace }).flatMap(mountedClaims)])].sort(),
  };
}

export const byName = (a: { readonly name: string }, b: { readonly name: string }): number =>
  a.name < b.name ? -1 : 1;
const configNameOf = ({ spec }: ModelCache): string => spec.runtimeConfigName?.trim() || "default";
const configName: Part<ModelCache, string> = { name: "runtime config", of: configNameOf };

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

function observeLimit(reader: BudgetReader, at: { readonly name: string; readonly namespace: string }): Fact<number> {
  const config = resolveRuntimeConfig(observeRuntimeConfig(reader, at));
  if (config.is === "unknown") return pending;
  const bytes = config.is === "resolved" ? bytesOf(config.settings.maxCacheBytes) : undefined;
  return bytes === undefined ? absent : known(Number(bytes));
}
