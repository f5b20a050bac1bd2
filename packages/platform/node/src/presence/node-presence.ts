import { isReason, type KubeClient, Node } from "@trivium/kube";
import { type Clock, waitFor } from "@trivium/runtime";
import type { Instant, JsonObject, Millis } from "@trivium/std";
import { follow } from "../follow.ts";
import { type Insistence, insist } from "../insist.ts";
import { deleteLease, keepLease } from "./node-lease.ts";
import { type NodePressure, type NodeProfile, nodeOf, nodeStatusOf } from "./node-object.ts";

export interface NodePresenceOptions {
  readonly profile: NodeProfile;
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly scheme: string;
  readonly kubeletPort?: number | undefined;
  /** What the machine is short of. Left out: of nothing. */
  readonly pressure?: (() => Promise<NodePressure>) | undefined;
  onError(what: string, error: unknown): void;
}

/** How often the status of a node is written although nothing changed. */
const heartbeat: Millis = 300_000;
/** How often the machine is asked what it is short of. */
const lookEvery: Millis = 10_000;

/** The Node object: registered, kept true by heartbeats and a lease, and registered again when somebody deletes it. */
export class NodePresence {
  readonly #options: NodePresenceOptions;
  readonly #signal: AbortSignal;
  #node: Node | undefined;
  #written: { readonly at: Instant; readonly pressure: string } | undefined;

  constructor(options: NodePresenceOptions, signal: AbortSignal) {
    this.#options = options;
    this.#signal = signal;
  }

  /** Resolves when the Node is there with its status. */
  async begin(): Promise<void> {
    this.#node = await insist(() => this.#register(), this.#retrying());
    await insist(() => this.#writeStatus(), this.#retrying());
  }

  /** What goes on until the signal. */
  keep(): Promise<void>[] {
    const { client, clock, profile, onError } = this.#options;
    return [
      keepLease({ client, clock, node: () => this.#node ?? nodeOf(profile), onError }, this.#signal),
      this.#heartbeats(),
      follow(
        {
          client,
          clock,
          kind: Node,
          fieldSelector: `metadata.name=${profile.name}`,
          onList: (nodes) => (nodes.length === 0 ? this.#comeBack() : undefined),
          onChange: () => undefined,
          onGone: () => this.#comeBack(),
          onError: (error) => onError(`watch of node ${profile.name} failed`, error),
        },
        this.#signal,
      ),
    ];
  }

  async leave(): Promise<void> {
    const { client, profile } = this.#options;
    await client.delete(Node, { name: profile.name }).catch((error: unknown) => {
      if (!isReason(error, "NotFound")) throw error;
    });
    await deleteLease(client, profile.name);
  }

  #comeBack(): void {
    if (this.#signal.aborted) return;
    this.begin().catch((error: unknown) => {
      if (!this.#signal.aborted)
        this.#options.onError(`cannot register node ${this.#options.profile.name} again`, error);
    });
  }

  #retrying(): Insistence {
    const { clock, profile, onError } = this.#options;
    return { clock, signal: this.#signal, onError: (error) => onError(`cannot register node ${profile.name}`, error) };
  }

  /** A Node that is there already keeps what others wrote on it. */
  async #register(): Promise<Node> {
    const { client, profile } = this.#options;
    const node = nodeOf(profile);
    try {
      return await client.create(Node, node);
    } catch (error) {
      if (!isReason(error, "AlreadyExists")) throw error;
      const { labels = {}, annotations = {} } = node.metadata;
      const body = { metadata: { labels, annotations } };
      return client.patch(Node, { name: profile.name }, { type: "merge", body });
    }
  }

  async #writeStatus(): Promise<void> {
    const { client, profile, kubeletPort, scheme, clock } = this.#options;
    const now = clock.now();
    const pressure = await this.#options.pressure?.();
    const before = this.#node?.status?.conditions ?? [];
    const status = nodeStatusOf(profile, { kubeletPort, scheme, now, before, pressure });
    const body = { status } as unknown as JsonObject;
    await client.patch(Node, { name: profile.name }, { type: "strategic", body }, { subresource: "status" });
    this.#written = { at: now, pressure: JSON.stringify(pressure) };
  }

  async #heartbeats(): Promise<void> {
    const { client, clock, profile, pressure, onError } = this.#options;
    for (;;) {
      await waitFor(clock, pressure === undefined ? heartbeat : lookEvery, this.#signal);
      if (this.#signal.aborted) return;
      try {
        if (!(await this.#isDue())) continue;
        this.#node = await client.get(Node, { name: profile.name }, { signal: this.#signal });
        await this.#writeStatus();
      } catch (error) {
        if (!this.#signal.aborted) onError(`cannot write the status of node ${profile.name}`, error);
      }
    }
  }

  async #isDue(): Promise<boolean> {
    const { clock, pressure } = this.#options;
    if (this.#written === undefined || clock.now() - this.#written.at >= heartbeat) return true;
    return JSON.stringify(await pressure?.()) !== this.#written.pressure;
  }
}
