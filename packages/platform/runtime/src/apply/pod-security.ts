import {
  checkPodSecurity,
  formatPodSecurity,
  type Kind,
  Namespace,
  type PodSecurityLevel,
  podSecurityLevelOf,
  podSpecsIn,
  stricterLevel,
} from "@trivium/kube";
import type { AnyReconciler, Refusal } from "@trivium/reconcile";
import type { Caches } from "../caches/caches.ts";
import { type Read, readOfObject } from "../caches/reads.ts";
import type { Child } from "./child.ts";

/**
 * Whether the pods of a reconciler's children are held to a level. Those of Kubernetes' own controllers are not: the API server judges
 * the pods themselves, and these controllers have no status for a refusal.
 */
export const isHeld = ({ refused, writes }: AnyReconciler): boolean => refused !== undefined && writes.length > 0;

/** What is watched to know the level. */
export const levelKinds = (reconciler: AnyReconciler): readonly Kind[] => (isHeld(reconciler) ? [Namespace] : []);

/** A change of the namespace's labels wakes the owner of pods in it. */
export function readOfLevel(reconciler: AnyReconciler, { kind, ref, object }: Child): Read[] {
  if (!isHeld(reconciler) || !kind.namespaced || podSpecsIn(object).length === 0) return [];
  return [readOfObject(Namespace, { name: ref.namespace ?? "" })];
}

/** The part of a refusal that is about a level. */
export type Breach = Pick<Refusal, "message" | "causes"> & {
  readonly podSecurity: NonNullable<Refusal["podSecurity"]>;
};

/**
 * Whether the level of a child's pods is known: the namespace is in the cache. Before that the child waits; the namespace is among the
 * reads, so its arrival triggers the next pass.
 */
export function hasLevel(caches: Caches, { kind, ref, object }: Child): boolean {
  if (!kind.namespaced || podSpecsIn(object).length === 0) return true;
  return caches.of(Namespace).get({ name: ref.namespace ?? "" }) !== undefined;
}

/** How the pods of a child break the level of their namespace, or the operator's where that is stricter. */
export function breachOf(caches: Caches, floor: PodSecurityLevel, { kind, ref, object }: Child): Breach | undefined {
  const pods = kind.namespaced ? podSpecsIn(object) : [];
  if (pods.length === 0) return undefined;
  const namespace = caches.of(Namespace).get({ name: ref.namespace ?? "" });
  const asked = podSecurityLevelOf(namespace?.metadata.labels, "enforce");
  const level = stricterLevel(asked, floor);
  const placed = pods.flatMap(({ at, spec }) => checkPodSecurity(spec, level).map((found) => ({ at, found })));
  if (placed.length === 0) return undefined;
  // Leader and workers of a group break the same rule in the same words.
  const distinct = new Map(placed.map(({ found }) => [`${found.rule} ${found.detail}`, found]));
  return {
    message: `violates ${formatPodSecurity(level, [...distinct.values()])}`,
    causes: placed.flatMap(({ at, found: { fields, rule, detail } }) =>
      fields.map((field) => ({ field: `${at}.${field}`, message: `${rule} (${detail})` })),
    ),
    podSecurity: { level, from: level === asked ? "namespace" : "operator" },
  };
}
