import { formatTime, type Instant } from "@trivium/std";
import type { Condition } from "./object.ts";

/** A condition as it is decided: when it last changed is not the decision's to say. */
export type DecidedCondition = Omit<Condition, "lastTransitionTime"> & { lastTransitionTime?: string };

export function findCondition<C extends { type: string }>(
  conditions: readonly C[] | undefined,
  type: string,
): C | undefined {
  return conditions?.find((condition) => condition.type === type);
}

export function isConditionTrue(
  conditions: readonly { type: string; status: string }[] | undefined,
  type: string,
): boolean {
  return findCondition(conditions, type)?.status === "True";
}

/** The decided conditions, each with the time of its last change of status: the old one's where the status is the same. */
export function mergeConditions(
  old: readonly Condition[] | undefined,
  next: readonly DecidedCondition[],
  now: Instant,
): Condition[] {
  return next.map((condition) => {
    const before = findCondition(old, condition.type);
    const isUnchanged = before !== undefined && before.status === condition.status && before.lastTransitionTime !== "";
    return { ...condition, lastTransitionTime: isUnchanged ? before.lastTransitionTime : formatTime(now) };
  });
}

/** The conditions with some of them replaced by type; new types stand at the end. */
export function replaceConditions<C extends { type: string }>(
  conditions: readonly C[] | undefined,
  changes: readonly C[],
): C[] {
  const kept = (conditions ?? []).map((one) => findCondition(changes, one.type) ?? one);
  return [...kept, ...changes.filter(({ type }) => findCondition(conditions, type) === undefined)];
}
