import { type KubeClient, Pod } from "@trivium/kube";
import { type Clock, systemClock } from "@trivium/runtime";
import { follow } from "./follow.ts";
import { insist } from "./insist.ts";
import type { LogBook } from "./logs/log-book.ts";
import type { NodePorts } from "./node-ports.ts";
import { type BackoffLimits, defaultBackoff } from "./pods/crash-backoff.ts";
import { eventNotes, noNotes } from "./pods/pod-notes.ts";
import { PodWorker } from "./pods/pod-worker.ts";
import type { NodePressure, NodeProfile } from "./presence/node-object.ts";
import { NodePresence } from "./presence/node-presence.ts";
import type { ContainerUsage, Sandbox } from "./sandbox.ts";
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
  /** What the machine is short of, for the conditions of the Node. */
  readonly pressure?: () => Promise<NodePressure>;
  readonly backoff?: BackoffLimits;
  /** Whether Events are written about pods. Default: they are. */
  readonly events?: "written" | "none";
  readonly onError?: (what: string, error: unknown) => void;
}

/** One node: registers itself, keeps its lease, and carries the pods that are bound to it through their lives. */
export class NodeAgent {
  readonly #options: NodeAgentOptions;
  readonly #clock: Clock;
  readonly #ports: NodePorts;
  readonly #presence: NodePresence;
  readonly #stopping = new AbortController();
  readonly #workers = new Map<string, PodWorker>();
  readonly #tasks: Promise<void>[] = [];

  constructor(options: NodeAgentOptions) {
    const { client, profile, sandbox, logs, claims, clock = systemClock, onError = () => undefined } = options;
    const { name, address } = profile;
    this.#options = options;
    this.#clock = clock;
    this.#presence = new NodePresence({ ...options, clock, scheme: sandbox.scheme, onError }, this.#stopping.signal);
    this.#ports = {
      client,
      clock,
      sandbox,
      logs,
      notes: options.events === "none" ? noNotes : eventNotes({ client, now: () => clock.now(), node: name, onError }),
      backoff: options.backoff ?? defaultBackoff,
      node: { name, address },
      whenBound: (pod, signal) => claims?.whenBound(pod, name, signal) ?? Promise.resolve(),
      onError,
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
    await this.#presence.begin();
    const before = await this.#retain();
    const listed = Promise.withResolvers<void>();
    this.#tasks.push(
      ...this.#presence.keep(),
      follow(
        {
          client,
          clock: this.#clock,
          kind: Pod,
          fieldSelector: this.#selector,
          onList: (pods) => {
            const present = new Set(pods.map(({ metadata }) => metadata.uid));
            for (const pod of before.splice(0)) if (!present.has(pod.metadata.uid)) this.#ports.sandbox.forget?.(pod);
            this.#replace(pods);
            listed.resolve();
          },
          onChange: (pod) => this.#see(pod),
          onGone: (pod) => this.#drop(pod.metadata.uid ?? ""),
          onError: (error) => this.#ports.onError(`watch of the pods of node ${profile.name} failed`, error),
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
    await this.#presence.leave();
  }

  /** What the containers of its pods use now; nothing where the sandbox does not count. */
  async usage(): Promise<readonly ContainerUsage[]> {
    return (await this.#options.sandbox.usage?.()) ?? [];
  }

  /** Resolves when the server knows everything that is known here of the pods. */
  async flush(): Promise<void> {
    await Promise.all([...this.#workers.values()].map((worker) => worker.flush()));
  }

  /** What an earlier agent left of pods that are gone is cleared away before anything begins. */
  async #retain(): Promise<Pod[]> {
    const { client, sandbox, profile } = this.#options;
    if (sandbox.retain === undefined) return [];
    const { onError } = this.#ports;
    const { signal } = this.#stopping;
    const list = () => client.list(Pod, { fieldSelector: this.#selector, signal });
    const insistence = { clock: this.#clock, signal, onError: (error: unknown) => onError("cannot list pods", error) };
    const { items } = await insist(list, insistence);
    await sandbox
      .retain(items)
      .catch((error: unknown) => onError(`cannot remove old pods of node ${profile.name}`, error));
    return [...items];
  }

  get #selector(): string {
    return `spec.nodeName=${this.#options.profile.name}`;
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
