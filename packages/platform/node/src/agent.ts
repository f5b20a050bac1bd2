import { isReason, type KubeClient, Node, Pod } from "@trivium/kube";
import { type Clock, systemClock, waitFor } from "@trivium/runtime";
import type { JsonObject, Millis } from "@trivium/std";
import { type BackoffLimits, defaultBackoff } from "./crash-backoff.ts";
import { follow } from "./follow.ts";
import { type Insistence, insist } from "./insist.ts";
import type { LogBook } from "./logs/log-book.ts";
import { deleteLease, keepLease } from "./node-lease.ts";
import { type NodeProfile, nodeOf, nodeStatusOf } from "./node-object.ts";
import type { NodePorts } from "./node-ports.ts";
import { eventNotes, noNotes } from "./pod-notes.ts";
import { PodWorker } from "./pod-worker.ts";
import type { Sandbox } from "./sandbox.ts";
import type { ClaimBinder } from "./volumes/claim-binder.ts";

export interface NodeAgentOptions {
  readonly profile: NodeProfile;
  readonly client: KubeClient;
  readonly sandbox: Sandbox;
  /** Where the logs of its containers are kept; shared by all nodes of a process. */
  readonly logs: LogBook;
  readonly clock?: Clock;
  /** Who binds claims; without one, claims are left to others and pods do not wait for them. */
  readonly claims?: ClaimBinder;
  /** The port of the endpoint that serves container logs to the API server. */
  readonly kubeletPort?: number;
  readonly backoff?: BackoffLimits;
  /** Whether Events are written about pods. Default: they are. */
  readonly events?: "written" | "none";
  readonly onTrouble?: (what: string, error: unknown) => void;
}

/** How often the status of a node is written although nothing changed. */
const heartbeat: Millis = 300_000;

/** One node: registers itself, keeps its lease, and carries the pods that are bound to it through their lives. */
export class NodeAgent {
  readonly #options: NodeAgentOptions;
  readonly #clock: Clock;
  readonly #ports: NodePorts;
  readonly #stopping = new AbortController();
  readonly #workers = new Map<string, PodWorker>();
  readonly #tasks: Promise<void>[] = [];

  constructor(options: NodeAgentOptions) {
    const { client, profile, sandbox, logs, claims, clock = systemClock, onTrouble = () => undefined } = options;
    const { name, address } = profile;
    this.#options = options;
    this.#clock = clock;
    this.#ports = {
      client,
      clock,
      sandbox,
      logs,
      notes:
        options.events === "none" ? noNotes : eventNotes({ client, now: () => clock.now(), node: name, onTrouble }),
      backoff: options.backoff ?? defaultBackoff,
      node: { name, address },
      whenBound: (pod, signal) => claims?.whenBound(pod, name, signal) ?? Promise.resolve(),
      onTrouble,
    };
  }

  /** How many pods it has, finished ones with them. */
  get size(): number {
    return this.#workers.size;
  }

  /** Resolves when the node is registered and has seen its pods once. */
  async start(): Promise<void> {
    const { client, profile } = this.#options;
    const { signal } = this.#stopping;
    const node = await insist(() => this.#register(), this.#retrying());
    await insist(() => this.#writeStatus(node), this.#retrying());
    const listed = Promise.withResolvers<void>();
    this.#tasks.push(
      keepLease({ client, clock: this.#clock, node, onTrouble: this.#ports.onTrouble }, signal),
      this.#heartbeats(),
      follow(
        {
          client,
          clock: this.#clock,
          kind: Pod,
          fieldSelector: `spec.nodeName=${profile.name}`,
          onList: (pods) => {
            this.#replace(pods);
            listed.resolve();
          },
          onChange: (pod) => this.#see(pod),
          onGone: (pod) => this.#drop(pod.metadata.uid ?? ""),
          onTrouble: (error) => this.#ports.onTrouble(`watching the pods of node ${profile.name}`, error),
        },
        signal,
      ),
    );
    await listed.promise;
  }

  /** Goes away and leaves node and pods as they are: an agent that comes back takes them up again. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    for (const worker of this.#workers.values()) worker.halt();
    this.#workers.clear();
    await Promise.all(this.#tasks);
  }

  /** Goes away for good: the Node and its Lease are deleted, and the control plane clears away the pods. */
  async leave(): Promise<void> {
    await this.stop();
    const { client, profile } = this.#options;
    await client.delete(Node, { name: profile.name }).catch((error: unknown) => {
      if (!isReason(error, "NotFound")) throw error;
    });
    await deleteLease(client, profile.name);
  }

  /** Resolves when the server knows everything that is known here of the pods. */
  async flush(): Promise<void> {
    await Promise.all([...this.#workers.values()].map((worker) => worker.flush()));
  }

  #retrying(): Insistence {
    const { onTrouble } = this.#ports;
    const what = `registering node ${this.#options.profile.name}`;
    return { clock: this.#clock, signal: this.#stopping.signal, onTrouble: (error) => onTrouble(what, error) };
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

  async #writeStatus(node: Node): Promise<void> {
    const { client, profile, kubeletPort, sandbox } = this.#options;
    const before = node.status?.conditions ?? [];
    const status = nodeStatusOf(profile, { kubeletPort, scheme: sandbox.scheme, now: this.#clock.now(), before });
    const body = { status } as unknown as JsonObject;
    await client.patch(Node, { name: profile.name }, { type: "strategic", body }, { subresource: "status" });
  }

  async #heartbeats(): Promise<void> {
    const { signal } = this.#stopping;
    const { client, profile } = this.#options;
    for (;;) {
      await waitFor(this.#clock, heartbeat, signal);
      if (signal.aborted) return;
      try {
        await this.#writeStatus(await client.get(Node, { name: profile.name }, { signal }));
      } catch (error) {
        if (!signal.aborted) this.#ports.onTrouble(`writing the status of node ${profile.name}`, error);
      }
    }
  }

  #replace(pods: readonly Pod[]): void {
    const present = new Set(pods.map(({ metadata }) => metadata.uid));
    for (const uid of [...this.#workers.keys()]) if (!present.has(uid)) this.#drop(uid);
    // Those that have an address get it back before others ask for one.
    const [known, fresh] = [pods.filter(hasAddress), pods.filter((pod) => !hasAddress(pod))];
    for (const pod of [...known, ...fresh]) this.#see(pod);
  }

  #see(pod: Pod): void {
    if (this.#stopping.signal.aborted) return;
    const uid = pod.metadata.uid ?? "";
    const known = this.#workers.get(uid);
    if (known === undefined) this.#take(uid, new PodWorker(pod, this.#ports, () => this.#drop(uid)));
    else known.update(pod);
  }

  #take(uid: string, worker: PodWorker): void {
    this.#workers.set(uid, worker);
    worker.start();
  }

  #drop(uid: string): void {
    this.#workers.get(uid)?.vanish();
    this.#workers.delete(uid);
  }
}

const hasAddress = ({ status }: Pod): boolean => status?.podIP !== undefined;
