import type { AnyObject, Event, EventEventsV1, KubeObject } from "@trivium/kube";
import { cloneJson, type Json } from "@trivium/std";

/** Names of fields in the core group, and in `events.k8s.io`. All others are the same. */
const names = [
  ["involvedObject", "regarding"],
  ["message", "note"],
  ["reportingComponent", "reportingController"],
  ["source", "deprecatedSource"],
  ["firstTimestamp", "deprecatedFirstTimestamp"],
  ["lastTimestamp", "deprecatedLastTimestamp"],
  ["count", "deprecatedCount"],
] as const;

/** Gives an event of the core group the form of `events.k8s.io`, in place. */
export function fromCoreEvent(object: AnyObject): void {
  for (const [core, own] of names) rename(object, core, own);
}

/** Gives an event of `events.k8s.io` the form of the core group, in place. */
export function toCoreEvent(object: AnyObject): void {
  for (const [core, own] of names) rename(object, own, core);
}

function rename(object: AnyObject, from: string, to: string): void {
  const value = object[from] as Json | undefined;
  if (value === undefined) return;
  delete object[from];
  object[to] = value;
}

/** A copy of an event of `events.k8s.io` in the form of the core group. */
export function asCoreEvent(event: EventEventsV1): Event {
  const copy = cloneJson(event) as unknown as AnyObject;
  toCoreEvent(copy);
  return { involvedObject: {}, ...copy } as KubeObject as Event;
}
