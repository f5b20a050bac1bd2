import { type Condition, type KubeObject, mergeConditions } from "@trivium/kube";
import type { Decision } from "@trivium/reconcile";
import { deepEqual, formatDuration, type Instant, isObject, type Millis } from "@trivium/std";
import type { Law } from "./law.ts";
import { conditionsOf, essence } from "./shape.ts";

const minute: Millis = 60_000;
const later: readonly Millis[] = [minute, 60 * minute, 24 * 60 * minute, 365 * 24 * 60 * minute];

/**
 * A recheck is asked for exactly when time alone will change the decision: not in vain, and not too late. The object is looked at with
 * its status written: before that, a status may carry the time at which it is made.
 */
export const clock: Law = ({ case: { object, now }, decide }) => {
  const first = decide();
  if (first.do === "release") return [];
  const settled = { ...object, status: asWritten(object, first, now) } as KubeObject;
  const decision = decide({ object: settled });
  if (decision.do === "release") return [];
  const wanted = essence(decision);
  const differsAfter = (delay: Millis) => !deepEqual(essence(decide({ object: settled, now: now + delay })), wanted);
  const { recheckIn } = decision;
  if (recheckIn === undefined) {
    const missed = later.find(differsAfter);
    return missed === undefined
      ? []
      : [`decides something else ${formatDuration(missed)} later but asks for no recheck`];
  }
  const faults: string[] = [];
  if (!(recheckIn > 0)) faults.push(`asks for a recheck in ${recheckIn} ms`);
  if (!differsAfter(recheckIn))
    faults.push(`asks for a recheck in ${formatDuration(recheckIn)} and decides the same then`);
  if (recheckIn > 1 && differsAfter(recheckIn - 1))
    faults.push(`asks for a recheck in ${formatDuration(recheckIn)}, which is too late`);
  return faults;
};

/** The status as the runtime writes it: conditions carry the time of their last change. */
function asWritten(object: KubeObject, decision: Decision<unknown>, now: Instant): unknown {
  if (decision.do === "release" || !isObject(decision.status)) return undefined;
  const before = (object as { status?: { conditions?: Condition[] } }).status?.conditions;
  const conditions = mergeConditions(before, conditionsOf(decision), now);
  return conditions.length === 0 ? decision.status : { ...decision.status, conditions };
}
