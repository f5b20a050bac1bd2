import { Event, isReason, type KubeClient, type KubeObject } from "@trivium/kube";
import type { Clock, Log } from "@trivium/runtime";
import { formatTime, shortHash } from "@trivium/std";

/** What whoever describes an object should read of what the gateway did to it. */
export interface ScaleNote {
  readonly type: "Normal" | "Warning";
  readonly reason: "Idle" | "Woken" | "UnreadableIdleTimeout";
  readonly message: string;
}

const component = "trivium-gateway";

/** Tells of scaled objects by Events, in the background. One that cannot be told is lost: they are news, not state. */
export class ScaleEvents {
  readonly #client: KubeClient;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #telling = new Set<Promise<void>>();

  constructor(client: KubeClient, clock: Clock, log: Log) {
    this.#client = client;
    this.#clock = clock;
    this.#log = log;
  }

  tell(object: KubeObject, note: ScaleNote): void {
    const telling = this.#send(object, note)
      .catch((error: unknown) =>
        this.#log.debug({ object: object.metadata.name, err: error }, "cannot create an Event"),
      )
      .finally(() => this.#telling.delete(telling));
    this.#telling.add(telling);
  }

  async idle(): Promise<void> {
    await Promise.all(this.#telling);
  }

  /** The same again is counted. */
  async #send({ apiVersion, kind, metadata }: KubeObject, { type, reason, message }: ScaleNote): Promise<void> {
    const { name = "", namespace = "default", uid, resourceVersion } = metadata;
    const at = formatTime(this.#clock.now());
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
      await this.#client.create(Event, event);
    } catch (error) {
      if (!isReason(error, "AlreadyExists")) throw error;
      const there = await this.#client.get(Event, ref);
      const body = { count: (there.count ?? 1) + 1, lastTimestamp: at };
      await this.#client.patch(Event, ref, { type: "merge", body });
    }
  }
}
