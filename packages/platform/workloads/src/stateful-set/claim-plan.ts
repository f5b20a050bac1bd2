import type { PersistentVolumeClaim, Pod, StatefulSet } from "@trivium/kube";
import type { Desired, Patch } from "@trivium/reconcile";
import type { Fact } from "@trivium/std";
import { byName } from "../pods/claim.ts";
import { claimsOf, isStale, newClaim, ownersPatch } from "./claims.ts";
import { isInRange, ordinalOf } from "./identity.ts";
import type { ClaimState } from "./plan.ts";

/** The claims of all pods that are wanted or there, by name. */
export type ObservedClaims = Readonly<Record<string, Fact<PersistentVolumeClaim>>>;

/** What the plan for the pods has to know of their claims. */
export function claimStateOf(set: StatefulSet, claims: ObservedClaims): ClaimState {
  const there = (ordinal: number) =>
    claimsOf(set, ordinal).flatMap(({ metadata }) => {
      const fact = claims[metadata.name ?? ""];
      return fact?.is === "known" ? [fact.value] : [];
    });
  return {
    isBlocked: (ordinal) =>
      there(ordinal).some((found) => found.metadata.deletionTimestamp !== undefined || isStale(set, found, ordinal)),
    isInOrder: (pod, ordinal) => there(ordinal).every((found) => ownersPatch(set, pod, ordinal, found) === undefined),
  };
}

/** For pods that are to be made, and for those that still wait for a node. */
export function missingClaims(
  set: StatefulSet,
  claims: ObservedClaims,
  pods: readonly Pod[],
  make: readonly number[],
): Desired[] {
  const waiting = pods.filter(({ status }) => status?.phase === "Pending").map((pod) => ordinalOf(set, pod) ?? -1);
  const ordinals = [...new Set([...make, ...waiting.filter((ordinal) => isInRange(set, ordinal))])].sort(
    (a, b) => a - b,
  );
  return ordinals.flatMap((ordinal) =>
    claimsOf(set, ordinal)
      .filter(({ metadata }) => claims[metadata.name ?? ""]?.is === "absent")
      .map((wanted) => newClaim(set, ordinal, wanted)),
  );
}

/** Puts the owners of the claims right, as the retention policy says. */
export function ownerPatches(set: StatefulSet, claims: ObservedClaims, pods: readonly Pod[]): Patch[] {
  return pods.toSorted(byName).flatMap((pod) => {
    const ordinal = ordinalOf(set, pod) ?? 0;
    return claimsOf(set, ordinal).flatMap(({ metadata }) => {
      const fact = claims[metadata.name ?? ""];
      return (fact?.is === "known" && ownersPatch(set, pod, ordinal, fact.value)) || [];
    });
  });
}
