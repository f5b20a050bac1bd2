import { flatten, type Gathered } from "@trivium/explain";
import type { AnyObject, Condition } from "@trivium/kube";

/** Something that happened to a service or to what belongs to it. */
export interface TimelineEntry {
  readonly at: string;
  readonly is: "condition" | "event" | "warning";
  /** `InferenceService chat`, `Pod chat-0`. */
  readonly of: string;
  readonly title: string;
  readonly message: string;
  readonly count: number;
}

interface SeenEvent {
  readonly type?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly count?: number;
  readonly lastTimestamp?: string;
  readonly eventTime?: string;
  readonly involvedObject?: { readonly uid?: string; readonly kind?: string; readonly name?: string };
}

/** Conditions and events in one list, the newest first. */
export function buildTimeline(
  gathered: Pick<Gathered, "object" | "uses" | "parts">,
  events: readonly AnyObject[],
): TimelineEntry[] {
  const objects = [gathered.object, ...gathered.uses, ...flatten(gathered.parts)];
  const uids = new Set(objects.map(({ metadata }) => metadata.uid));
  const own = events.filter((event) => uids.has((event as SeenEvent).involvedObject?.uid));
  return [...objects.flatMap(conditionsOf), ...own.map(eventOf)].sort((a, b) => b.at.localeCompare(a.at));
}

function conditionsOf({ kind, metadata, status }: AnyObject): TimelineEntry[] {
  const { conditions = [] } = (status ?? {}) as { conditions?: readonly Condition[] };
  return conditions
    .filter(({ lastTransitionTime }) => Boolean(lastTransitionTime))
    .map(({ type, status: value, reason, message, lastTransitionTime }) => ({
      at: lastTransitionTime,
      is: "condition",
      of: `${kind} ${metadata.name}`,
      title: `${type} ${value}${reason ? ` (${reason})` : ""}`,
      message: message ?? "",
      count: 1,
    }));
}

function eventOf(object: AnyObject): TimelineEntry {
  const { type, reason = "", message = "", count = 1, lastTimestamp, eventTime, involvedObject } = object as SeenEvent;
  return {
    at: lastTimestamp ?? eventTime ?? object.metadata.creationTimestamp ?? "",
    is: type === "Warning" ? "warning" : "event",
    of: `${involvedObject?.kind} ${involvedObject?.name}`,
    title: reason,
    message,
    count,
  };
}
