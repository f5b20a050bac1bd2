import { isAsleep, startCommand, type Workload } from "@trivium/engines";
import { controllerOf, type KubeClient, type KubeObject } from "@trivium/kube";
import { annotationOf, annotations } from "../annotations.ts";
import type { Owners } from "../cluster/owners.ts";
import type { ScaleEvents } from "./scale-events.ts";
import { type ScaleTop, scaleTopOf } from "./scale-top.ts";

const fieldManager = "trivium-gateway";
const maxReplicas = 1_000;

type IdleCheck = () => boolean | Promise<boolean>;

/** Writes the scale of whatever stands above a workload. One write at a time for each. */
export class Scaler {
  readonly #client: KubeClient;
  readonly #owners: Owners;
  readonly #events: ScaleEvents;
  readonly #writing = new Map<string, Promise<void>>();
  /** The version a workload had when it was woken: until it changes, there is nothing more to do. */
  readonly #woken = new Map<string, string | undefined>();

  constructor(client: KubeClient, owners: Owners, events: ScaleEvents) {
    this.#client = client;
    this.#owners = owners;
    this.#events = events;
  }

  topOf(workload: Workload): ScaleTop {
    return scaleTopOf(workload, this.#owners);
  }

  /** Gives a workload that has no replicas those it had before. Resolves at once when that was done or is under way. */
  async wake(workload: Workload): Promise<void> {
    const top = this.topOf(workload);
    const id = `${top.key} ${workload.metadata.uid}`;
    await this.#writing.get(top.key)?.catch(() => {});
    if (isAsleep(workload)) refuseStopped(top);
    if (!isAsleep(workload) || this.#woken.get(id) === workload.metadata.resourceVersion) return;
    this.#woken.set(id, workload.metadata.resourceVersion);
    try {
      const replicas = awakeReplicasOf(top.object);
      await this.#alone(top.key, () => this.#setReplicas(top, replicas));
      const message = `Scaled up from zero to ${replicas} replica${replicas === 1 ? "" : "s"} by a request`;
      this.#events.tell(top.object, { type: "Normal", reason: "Woken", message });
    } catch (error) {
      this.#woken.delete(id);
      throw error;
    }
  }

  /** Puts to zero, and notes on the object how many replicas it had. Spares it when `isStillIdle` denies in between. */
  async sleep(top: ScaleTop, why: string, isStillIdle: IdleCheck): Promise<"asleep" | "spared"> {
    let outcome: "asleep" | "spared" = "asleep";
    await this.#alone(top.key, async () => {
      const replicas = await this.#replicasOf(top);
      if (replicas === 0) return;
      // What runs is not stopped, however it was started.
      const note = { [annotations.awakeReplicas]: String(replicas), [annotations.stopped]: null };
      const body = { metadata: { annotations: note } };
      await this.#client.patch(top.kind, top.ref, { type: "merge", body }, { fieldManager });
      if (!(await isStillIdle())) {
        outcome = "spared";
        return;
      }
      await this.#setReplicas(top, 0);
      const message = `Scaled to zero ${why}; starts on the next request`;
      this.#events.tell(top.object, { type: "Normal", reason: "Idle", message });
    });
    return outcome;
  }

  async idle(): Promise<void> {
    await Promise.allSettled(this.#writing.values());
  }

  async #alone(key: string, write: () => Promise<void>): Promise<void> {
    await this.#writing.get(key)?.catch(() => {});
    const writing = write().finally(() => {
      if (this.#writing.get(key) === writing) this.#writing.delete(key);
    });
    this.#writing.set(key, writing);
    return writing;
  }

  async #setReplicas({ kind, ref }: ScaleTop, replicas: number): Promise<void> {
    const patch = { type: "merge", body: { spec: { replicas } } } as const;
    await this.#client.patch(kind, ref, patch, { subresource: "scale", fieldManager });
  }

  /** A patch of nothing that is not stored answers with the scale as it is. */
  async #replicasOf({ kind, ref }: ScaleTop): Promise<number> {
    const options = { subresource: "scale", dryRun: true, fieldManager } as const;
    const scale = await this.#client.patch(kind, ref, { type: "merge", body: {} }, options);
    return (scale as KubeObject & { spec?: { replicas?: number } }).spec?.replicas ?? 0;
  }
}

function refuseStopped({ object }: ScaleTop): void {
  if (annotationOf(object, "stopped") === undefined) return;
  const { name, namespace } = object.metadata;
  const command = startCommand({ name: controllerOf(object)?.name ?? name, namespace });
  throw new Error(`it was stopped; start it with ${command}`);
}

function awakeReplicasOf(object: KubeObject): number {
  const text = annotationOf(object, "awakeReplicas") ?? "";
  const replicas = /^\d{1,4}$/.test(text) ? Number(text) : 1;
  return Math.min(Math.max(replicas, 1), maxReplicas);
}
