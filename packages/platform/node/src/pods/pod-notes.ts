import { type api, Event, isReason, type KubeClient, type Pod } from "@trivium/kube";
import { formatTime, type Instant, shortHash } from "@trivium/std";

/** Something a person who describes the pod should read. */
export interface PodNote {
  readonly type?: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
  readonly container?: api.Container;
}

export interface PodNotes {
  tell(pod: Pod, note: PodNote): void;
}

export const noNotes: PodNotes = { tell: () => undefined };

export interface PodNotesOptions {
  readonly client: KubeClient;
  readonly now: () => Instant;
  readonly node: string;
  readonly onError: (what: string, error: unknown) => void;
}

const maxWaiting = 500;
const maxRemembered = 2_000;

/** Writes notes as Events, one after the other in the background. The same note again is counted. When too many wait, they are lost. */
export function eventNotes(options: PodNotesOptions): PodNotes {
  const counts = new Map<string, number>();
  let waiting = 0;
  let sending = Promise.resolve();
  return {
    tell(pod, note) {
      if (waiting >= maxWaiting) return;
      waiting += 1;
      const key = `${pod.metadata.uid} ${note.container?.name ?? ""} ${note.reason} ${note.message}`;
      const count = (counts.get(key) ?? 0) + 1;
      counts.delete(key);
      counts.set(key, count);
      if (counts.size > maxRemembered) counts.delete(counts.keys().next().value ?? "");
      const event = eventOf(options, pod, { note, key, count });
      sending = sending
        .then(() => send(options.client, event))
        .catch((error: unknown) =>
          options.onError(`cannot create an Event of pod ${pod.metadata.namespace}/${pod.metadata.name}`, error),
        )
        .finally(() => {
          waiting -= 1;
        });
    },
  };
}

async function send(client: KubeClient, event: Event): Promise<void> {
  const { name = "", namespace } = event.metadata;
  const isNew = (event.count ?? 1) <= 1;
  try {
    if (isNew) await client.create(Event, event);
    else await bump(client, event);
  } catch (error) {
    // An agent before us told the same, or the Event has expired, or its namespace goes: news, not state.
    if (isNew && isReason(error, "AlreadyExists")) {
      const there = await client.get(Event, { namespace, name });
      await bump(client, { ...event, count: (there.count ?? 1) + 1 });
    } else if (!isReason(error, "NotFound", "Forbidden")) throw error;
  }
}

async function bump(client: KubeClient, { metadata, count = 1, lastTimestamp }: Event): Promise<void> {
  const { name = "", namespace } = metadata;
  const body = { count, lastTimestamp: lastTimestamp ?? null };
  await client.patch(Event, { namespace, name }, { type: "merge", body });
}

function eventOf(
  { now, node }: PodNotesOptions,
  pod: Pod,
  { note, key, count }: { note: PodNote; key: string; count: number },
): Event {
  const { name = "", namespace = "default", uid, resourceVersion } = pod.metadata;
  const at = formatTime(now());
  const path = note.container === undefined ? {} : { fieldPath: `spec.containers{${note.container.name}}` };
  return {
    apiVersion: "v1",
    kind: "Event",
    metadata: { name: `${name.slice(0, 230)}.${shortHash(key, 16)}`, namespace },
    involvedObject: { apiVersion: "v1", kind: "Pod", name, namespace, uid, resourceVersion, ...path },
    type: note.type ?? "Normal",
    reason: note.reason,
    message: note.message.slice(0, 1_024),
    source: { component: "kubelet", host: node },
    reportingComponent: "kubelet",
    reportingInstance: node,
    firstTimestamp: at,
    lastTimestamp: at,
    count,
  };
}
