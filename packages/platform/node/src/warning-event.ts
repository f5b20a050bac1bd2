import { Event, isReason, type KubeClient, type KubeObject } from "@trivium/kube";
import { formatTime, type Instant, shortHash } from "@trivium/std";

export interface Warning {
  readonly reason: string;
  readonly message: string;
  readonly component: string;
  readonly at: Instant;
}

/** Warns about an object by an Event. The same warning again is counted. */
export async function warnAbout(client: KubeClient, object: KubeObject, warning: Warning): Promise<void> {
  const { name = "", namespace = "default", uid, resourceVersion } = object.metadata;
  const { apiVersion, kind } = object;
  const { reason, message, component } = warning;
  const at = formatTime(warning.at);
  const eventName = `${name.slice(0, 230)}.${shortHash(`${uid} ${reason} ${message}`, 16)}`;
  const event: Event = {
    apiVersion: "v1",
    kind: "Event",
    metadata: { name: eventName, namespace },
    involvedObject: { apiVersion, kind, name, namespace, uid, resourceVersion },
    type: "Warning",
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
    const there = await client.get(Event, { namespace, name: eventName });
    const body = { count: (there.count ?? 1) + 1, lastTimestamp: at };
    await client.patch(Event, { namespace, name: eventName }, { type: "merge", body });
  }
}
