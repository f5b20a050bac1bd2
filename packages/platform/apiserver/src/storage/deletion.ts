import { type AnyObject, findCondition, type ObjectMeta } from "@trivium/kube";
import { formatTime, type Instant, parseTime } from "@trivium/std";
import type { Backend } from "../call.ts";
import { qualify, refusal } from "../refusals.ts";
import { storeName } from "../registry.ts";
import type { Resource } from "../resource.ts";
import type { Stored } from "../store/store.ts";
import { objectAt } from "./storage.ts";

export type Propagation = "Orphan" | "Background" | "Foreground";

export interface DeletionOptions {
  readonly gracePeriodSeconds?: number | undefined;
  readonly propagation?: Propagation | undefined;
  /** Whether it was said by `orphanDependents`, which came before. */
  readonly isLegacy?: boolean | undefined;
  readonly preconditions?:
    | { readonly uid?: string | undefined; readonly resourceVersion?: string | undefined }
    | undefined;
  readonly dryRun?: boolean | undefined;
}

/** What a deletion came to: the object is gone, or it is marked and goes when its finalizers or its grace period end. */
export type Deleted =
  | { readonly is: "gone"; readonly object: AnyObject }
  | { readonly is: "going"; readonly object: AnyObject };

export const crdFinalizer = "customresourcecleanup.apiextensions.k8s.io";

/** Deletes an object, or starts to. */
export async function deleteStored(
  backend: Backend,
  resource: Resource,
  stored: Stored,
  options: DeletionOptions,
): Promise<Deleted> {
  const object = objectAt(resource, stored);
  checkPreconditions(resource, object, options);
  const before = markOf(object);
  const outcome = mark(backend, resource, object, options);
  const isDry = options.dryRun === true;
  if (outcome === "gone") {
    if (!isDry) await backend.storage.remove(resource, object, stored.revision);
    return { is: "gone", object };
  }
  if (isDry || markOf(object) === before) await backend.storage.store.settled();
  else await backend.storage.put(resource, object, stored.revision);
  return { is: "going", object };
}

/** What a deletion can change of an object; the rest can be large. */
function markOf({ metadata: { managedFields: _, ...metadata }, status }: AnyObject): string {
  return JSON.stringify([metadata, status]);
}

/** Changes the object as its deletion demands and says whether it may go at once. */
function mark(backend: Backend, resource: Resource, object: AnyObject, options: DeletionOptions): Deleted["is"] {
  const now = backend.now();
  const special = marks[storeName(resource)]?.(object, options, now);
  if (special !== undefined) return special;
  const grace = graceOf(resource, object, options, now);
  if (grace === "pending") return "going";
  setPropagation(resource, object.metadata, options);
  const isHeld = (object.metadata.finalizers ?? []).length > 0;
  if (grace === "none") {
    if (isHeld) markDeleted(object.metadata, now, 0);
    return isHeld ? "going" : "gone";
  }
  markDeleted(object.metadata, grace.at, grace.seconds);
  return isHeld || grace.seconds > 0 ? "going" : "gone";
}

type Grace = "none" | "pending" | { readonly at: Instant; readonly seconds: number };

/** How long an object is given to stop. A deletion under way can only be shortened. */
function graceOf(resource: Resource, object: AnyObject, options: DeletionOptions, now: Instant): Grace {
  const { deletionTimestamp, deletionGracePeriodSeconds: running } = object.metadata;
  const { graceSeconds } = resource.strategy;
  const asked =
    options.gracePeriodSeconds === undefined || options.gracePeriodSeconds >= 0 ? options.gracePeriodSeconds : 1;
  if (deletionTimestamp !== undefined) {
    if (graceSeconds === undefined || running === undefined || running === 0) return "none";
    if (asked === undefined || asked >= running) return "pending";
    const at = (parseTime(deletionTimestamp) ?? now) - (running - asked) * 1000;
    return at >= now ? { at, seconds: asked } : { at: now, seconds: asked === 0 ? 0 : 1 };
  }
  if (graceSeconds === undefined) return "none";
  const seconds = hasNothingToStop(object) ? 0 : (asked ?? graceSeconds(object));
  return { at: now + seconds * 1000, seconds };
}

/** A pod that no node took, or that has ended. */
function hasNothingToStop(object: AnyObject): boolean {
  const spec = object.spec as { nodeName?: string } | undefined;
  const status = object.status as { phase?: string } | undefined;
  if (object.kind !== "Pod") return false;
  return (spec?.nodeName ?? "") === "" || status?.phase === "Succeeded" || status?.phase === "Failed";
}

/** The first mark is a change that controllers must notice, so it raises the generation. */
function markDeleted(meta: ObjectMeta, at: Instant, seconds: number): void {
  if (meta.deletionTimestamp === undefined && (meta.generation ?? 0) > 0) meta.generation = (meta.generation ?? 0) + 1;
  const before = meta.deletionTimestamp === undefined ? undefined : parseTime(meta.deletionTimestamp);
  if (before === undefined || before > at) meta.deletionTimestamp = formatTime(at);
  meta.deletionGracePeriodSeconds = seconds;
}

function setPropagation(resource: Resource, meta: ObjectMeta, options: DeletionOptions): void {
  const before = meta.finalizers ?? [];
  const chosen = options.propagation ?? propagationOf(before) ?? resource.strategy.defaultPropagation ?? "Background";
  const kept = before.filter((name) => name !== "orphan" && name !== "foregroundDeletion");
  if (chosen === "Orphan") kept.push("orphan");
  if (chosen === "Foreground") kept.push("foregroundDeletion");
  if (kept.length > 0) meta.finalizers = kept;
  else delete meta.finalizers;
}

function propagationOf(finalizers: readonly string[]): Propagation | undefined {
  if (finalizers.includes("orphan")) return "Orphan";
  return finalizers.includes("foregroundDeletion") ? "Foreground" : undefined;
}

type Mark = (object: AnyObject, options: DeletionOptions, now: Instant) => Deleted["is"] | undefined;

/** Kinds that must be emptied before they go. */
const marks: Readonly<Record<string, Mark>> = {
  namespaces: (object, options, now) => {
    const spec = (object.spec ?? {}) as { finalizers?: string[] };
    if (object.metadata.deletionTimestamp !== undefined) {
      return (spec.finalizers ?? []).length > 0 || (object.metadata.finalizers ?? []).length > 0 ? "going" : "gone";
    }
    object.metadata.deletionTimestamp = formatTime(now);
    object.status = { ...(object.status as object | undefined), phase: "Terminating" };
    const wanted =
      options.propagation === "Orphan"
        ? "orphan"
        : options.propagation === "Foreground"
          ? "foregroundDeletion"
          : undefined;
    if (wanted !== undefined) object.metadata.finalizers = [...(object.metadata.finalizers ?? []), wanted];
    return "going";
  },
  "customresourcedefinitions.apiextensions.k8s.io": (object, _options, now) => {
    if (object.metadata.deletionTimestamp !== undefined) return undefined;
    object.metadata.deletionTimestamp = formatTime(now);
    const finalizers = object.metadata.finalizers ?? [];
    if (!finalizers.includes(crdFinalizer)) object.metadata.finalizers = [...finalizers, crdFinalizer];
    const status = (object.status ?? {}) as { conditions?: { type: string }[] };
    const others = (status.conditions ?? []).filter((one) => one.type !== "Terminating");
    const terminating = {
      type: "Terminating",
      status: "True",
      lastTransitionTime: formatTime(now),
      reason: "InstanceDeletionPending",
      message: "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon",
    };
    object.status = {
      ...status,
      conditions: [...others, findCondition(status.conditions, "Terminating") ?? terminating],
    };
    return "going";
  },
};

function checkPreconditions(resource: Resource, object: AnyObject, options: DeletionOptions): void {
  const { uid, resourceVersion } = options.preconditions ?? {};
  const meta = object.metadata;
  if (uid !== undefined && uid !== meta.uid) {
    throw failed(
      resource,
      meta,
      `the UID in the precondition (${uid}) does not match the UID in record (${meta.uid}). The object might have been deleted and then recreated`,
    );
  }
  if (resourceVersion !== undefined && resourceVersion !== meta.resourceVersion) {
    throw failed(
      resource,
      meta,
      `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${meta.resourceVersion}). The object might have been modified`,
    );
  }
}

/** A real server names the kind, not the resource, in this one conflict. */
function failed(resource: Resource, meta: ObjectMeta, why: string) {
  const { kind, group } = resource;
  const name = meta.name ?? "";
  return refusal(409, "Conflict", `Operation cannot be fulfilled on ${qualify(kind, group)} "${name}": ${why}`, {
    name,
    ...(group === "" ? {} : { group }),
    kind,
  });
}
