import { countEvent } from "@trivium/client";
import type { KubeClient, KubeObject } from "@trivium/kube";
import type { Clock, Log } from "@trivium/runtime";

/** What `kubectl describe` of an object should show of what the gateway did to it. */
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
    const telling = countEvent(this.#client, object, { ...note, component, at: this.#clock.now() })
      .catch((error: unknown) =>
        this.#log.debug({ object: object.metadata.name, err: error }, "cannot create an Event"),
      )
      .finally(() => this.#telling.delete(telling));
    this.#telling.add(telling);
  }

  async idle(): Promise<void> {
    await Promise.all(this.#telling);
  }
}
