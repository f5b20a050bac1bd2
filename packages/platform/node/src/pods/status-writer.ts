import { type api, isReason, type KubeClient, Pod } from "@trivium/kube";
import { type Clock, waitFor } from "@trivium/runtime";
import { deepEqual, type JsonObject } from "@trivium/std";
import { statusPatch } from "./pod-status.ts";

export interface StatusWriterOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly pod: Pod;
  /** The status as it is now. */
  plan(): api.PodStatus;
  onWritten(status: api.PodStatus): void;
  /** The pod is not there any more. */
  onGone(): void;
  onError(error: unknown): void;
}

const firstPause = 250;
const longestPause = 30_000;

/** Writes one pod's status: one call at a time, the newest truth only, and again until the server has it. */
export class StatusWriter {
  readonly #options: StatusWriterOptions;
  readonly #stopping = new AbortController();
  #written: api.PodStatus | undefined;
  #version: string | undefined;
  #isDirty = false;
  #running: Promise<void> | undefined;

  constructor(options: StatusWriterOptions) {
    this.#options = options;
  }

  /** Something changed. Changes within one turn of the event loop are written together. */
  mark(): void {
    this.#isDirty = true;
    if (this.#stopping.signal.aborted) return;
    this.#running ??= Promise.resolve()
      .then(() => this.#run())
      .finally(() => {
        this.#running = undefined;
      });
  }

  /**
   * Whether another writer has changed a condition since it was written here. The node controller sets Ready to False when heartbeats of the
   * node are late, and leaves it to the node to take that back.
   */
  isOverwritten({ metadata, status }: Pod): boolean {
    if (this.#written === undefined || !isNewer(metadata.resourceVersion, this.#version)) return false;
    const current = new Map(status?.conditions?.map(({ type, status: value }) => [type, value]));
    return (this.#written.conditions ?? []).some(({ type, status: value }) => current.get(type) !== value);
  }

  /** Resolves when everything known so far is written, or never will be. */
  async flush(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }

  stop(): void {
    this.#stopping.abort();
  }

  async #run(): Promise<void> {
    const { clock, onError } = this.#options;
    let pause = firstPause;
    while (this.#isDirty && !this.#stopping.signal.aborted) {
      this.#isDirty = false;
      try {
        await this.#write();
        pause = firstPause;
      } catch (error) {
        if (this.#stopping.signal.aborted) return;
        this.#isDirty = true;
        onError(error);
        await waitFor(clock, pause, this.#stopping.signal);
        pause = Math.min(longestPause, pause * 2);
      }
    }
  }

  async #write(): Promise<void> {
    const { client, pod, plan, onWritten, onGone } = this.#options;
    const status = plan();
    if (deepEqual(status, this.#written)) return;
    const { namespace, name = "" } = pod.metadata;
    const patch = { type: "strategic", body: statusPatch(pod, status) as JsonObject } as const;
    try {
      const { metadata } = await client.patch(Pod, { namespace, name }, patch, {
        subresource: "status",
        fieldManager: "kubelet",
        signal: this.#stopping.signal,
      });
      this.#written = status;
      this.#version = metadata.resourceVersion;
      onWritten(status);
    } catch (error) {
      // A conflict may mean that another pod has the name now; then the watch says so, and until it does there is no harm in trying.
      if (!isReason(error, "NotFound")) throw error;
      this.stop();
      onGone();
    }
  }
}

/** An event of before the last write shows an older status. */
const isNewer = (version: string | undefined, written: string | undefined): boolean =>
  Number(version) > Number(written);
