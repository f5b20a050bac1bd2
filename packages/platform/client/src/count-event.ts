import { Event, isReason, type KubeClient, type KubeObject } from "@trivium/kube";
import { formatTime, type Instant, shortHash } from "@trivium/std";

/** What `kubectl describe` of an object should show about it. */
export interface EventNote {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
  /** Who reports it. */
  readonly component: string;
  readonly at: Instant;
}

/** Reports something about an object by an Event. The same again is counted. */
export async function countEvent(client: KubeClient, object: KubeObject, note: EventNote): Promise<void> {
  const { name = "", namespace = "default", uid, resourceVersion } = object.metadata;
  const { apiVersion, kind } = object;
  const { type, reason, message, component } = note;
  const at = formatTime(note.at);
  const ref = { namespace, name: `${name.slice(0, 230)}.${shortHash(`${uid} ${reason} ${message}`, 16)}` };
  const event: Event = {
    apiVersion: "v1",
    kind: "Event",
    metadata: ref,
    involvedObject: { apiVersion, kind, name, namespace, uid, resourceVersion },
    type,
    reason,
    message: message.slice(0, 1_024),
    source: { component },
    reportingComponent: component,
    reportingInstance: "",
    firstTimestamp: at,
    lastTimestamp: at,
    count: 1,
  };
  try {
    await client.create(Event, event);
  } catch (error) {
    if (!isReason(error, "AlreadyExists")) throw error;
    const there = await client.get(Event, ref);
    const body = { count: (there.count ?? 1) + 1, lastTimestamp: at };
    await client.patch(Event, ref, { type: "merge", body });
  }
}
