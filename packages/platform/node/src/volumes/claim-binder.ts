import { countEvent } from "@trivium/client";
import {
  isReason,
  type KubeClient,
  PersistentVolume,
  PersistentVolumeClaim,
  type Pod,
  StorageClass,
} from "@trivium/kube";
import { type Clock, systemClock } from "@trivium/runtime";
import { follow } from "../follow.ts";
import { Retries } from "../retries.ts";
import { claimsOfPod } from "./claim-of-pod.ts";
import { type Provisioner, ProvisionRefusal } from "./provisioner.ts";
import { ignoreReason, reclaimVolume } from "./reclaim-volume.ts";
import { volumeNameOf, volumeOf } from "./volume-of-claim.ts";

export interface ClaimBinderOptions {
  readonly client: KubeClient;
  readonly clock?: Clock;
  /** Claims whose StorageClass names this provisioner are ours. */
  readonly provisioner: string;
  /** Makes what is behind a volume, and removes it. Left out, there is nothing behind them. */
  readonly storage?: Provisioner;
  readonly onError?: (what: string, error: unknown) => void;
}

const selectedNode = "volume.kubernetes.io/selected-node";
const defaultClass = "storageclass.kubernetes.io/is-default-class";
const bound = { "pv.kubernetes.io/bind-completed": "yes", "pv.kubernetes.io/bound-by-controller": "yes" };

/**
 * Gives claims of one provisioner their volumes: at once, or when a node is chosen for the first pod that mounts them, as the
 * StorageClass says. Where a control plane binds volumes too, both write the same, and whoever comes second finds it done.
 */
export class ClaimBinder {
  readonly #client: KubeClient;
  readonly #clock: Clock;
  readonly #provisioner: string;
  readonly #storage: Provisioner;
  readonly #onError: (what: string, error: unknown) => void;
  readonly #stopping = new AbortController();
  readonly #claims = new Map<string, PersistentVolumeClaim>();
  readonly #classes = new Map<string, StorageClass>();
  /** Nodes on which pods wait for claims that nobody chose a node for. */
  readonly #consumers = new Map<string, string>();
  readonly #waiting = new Map<string, Set<() => void>>();
  readonly #busy = new Set<string>();
  readonly #retries: Retries;
  #tasks: Promise<void>[] = [];

  constructor(options: ClaimBinderOptions) {
    const { client, clock = systemClock, provisioner, storage = nothingBehind, onError = () => undefined } = options;
    this.#client = client;
    this.#storage = storage;
    this.#clock = clock;
    this.#retries = new Retries(clock);
    this.#provisioner = provisioner;
    this.#onError = onError;
  }

  /** Resolves when claims and classes were seen once. */
  async start(): Promise<void> {
    const { signal } = this.#stopping;
    const source = { client: this.#client, clock: this.#clock };
    const onError = (error: unknown) => this.#onError("watch of PersistentVolumeClaims failed", error);
    const [classes, claims] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    this.#tasks = [
      follow(
        {
          ...source,
          kind: StorageClass,
          onError,
          onList: (objects) => {
            this.#classes.clear();
            for (const object of objects) this.#seeClass(object);
            classes.resolve();
          },
          onChange: (object) => this.#seeClass(object),
          onGone: ({ metadata }) => void this.#classes.delete(metadata.name ?? ""),
        },
        signal,
      ),
      follow(
        {
          ...source,
          kind: PersistentVolumeClaim,
          onError,
          onList: (objects) => {
            this.#replace(objects);
            claims.resolve();
          },
          onChange: (claim) => this.#see(claim),
          onGone: (claim) => this.#lose(claim),
        },
        signal,
      ),
    ];
    await Promise.all([classes.promise, claims.promise]);
    await this.#clearOrphans().catch((error: unknown) =>
      this.#onError("cannot clean up volumes without claims", error),
    );
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#retries.stop();
    await Promise.all(this.#tasks);
  }

  /** Resolves when all claims of the pod are bound, or when the caller gives up. */
  async whenBound(pod: Pod, node: string, signal: AbortSignal): Promise<void> {
    for (const name of claimsOfPod(pod)) {
      const key = `${pod.metadata.namespace}/${name}`;
      this.#consumers.set(key, node);
      const claim = this.#claims.get(key);
      if (claim !== undefined) this.#consider(claim);
      await this.#whenOneBound(key, signal);
      this.#consumers.delete(key);
      if (signal.aborted) return;
    }
  }

  #whenOneBound(key: string, signal: AbortSignal): Promise<void> {
    if (signal.aborted || isBound(this.#claims.get(key))) return Promise.resolve();
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(key) ?? new Set();
      this.#waiting.set(key, waiting);
      const done = () => {
        waiting.delete(done);
        if (waiting.size === 0) this.#waiting.delete(key);
        signal.removeEventListener("abort", done);
        resolve();
      };
      waiting.add(done);
      signal.addEventListener("abort", done, { once: true });
    });
  }

  #seeClass(object: StorageClass): void {
    this.#classes.set(object.metadata.name ?? "", object);
    for (const claim of this.#claims.values()) this.#consider(claim);
  }

  #replace(claims: readonly PersistentVolumeClaim[]): void {
    const present = new Set(claims.map(keyOf));
    for (const [key, claim] of [...this.#claims]) if (!present.has(key)) this.#lose(claim);
    for (const claim of claims) this.#see(claim);
  }

  #see(claim: PersistentVolumeClaim): void {
    const key = keyOf(claim);
    this.#claims.set(key, claim);
    if (isBound(claim)) for (const wake of [...(this.#waiting.get(key) ?? [])]) wake();
    else this.#consider(claim);
  }

  #consider(claim: PersistentVolumeClaim): void {
    const key = keyOf(claim);
    const storageClass = this.#classOf(claim);
    if (isBound(claim) || claim.metadata.deletionTimestamp !== undefined || this.#busy.has(key)) return;
    // A claim that names its volume is for whoever made that volume.
    const isPromised = (claim.spec?.volumeName ?? volumeNameOf(claim)) !== volumeNameOf(claim);
    if (storageClass?.provisioner !== this.#provisioner || isPromised) return;
    const node = claim.metadata.annotations?.[selectedNode] ?? this.#consumers.get(key);
    const isWaiting = storageClass.volumeBindingMode === "WaitForFirstConsumer";
    if (isWaiting && node === undefined) return;
    this.#busy.add(key);
    void this.#bind(claim, storageClass, isWaiting ? node : undefined)
      .then(() => this.#retries.settle(key))
      .catch((error: unknown) => this.#fail(claim, storageClass, error))
      .finally(() => this.#busy.delete(key));
  }

  /** A claim that names no class has the default one, also when that came after the claim. */
  #classOf(claim: PersistentVolumeClaim): StorageClass | undefined {
    const name = claim.spec?.storageClassName;
    if (name !== undefined) return this.#classes.get(name);
    const defaults = [...this.#classes.values()].filter(
      ({ metadata }) => metadata.annotations?.[defaultClass] === "true",
    );
    return defaults.length === 1 ? defaults[0] : undefined;
  }

  async #bind(claim: PersistentVolumeClaim, storageClass: StorageClass, node: string | undefined): Promise<void> {
    const { signal } = this.#stopping;
    const { namespace, name = "", uid } = claim.metadata;
    const volume = await this.#storage.provision(claim, storageClass, node);
    const volumeName = volumeNameOf(claim);
    await this.#client.create(PersistentVolume, volume, { signal }).catch(ignoreReason("AlreadyExists"));
    const storageClassName = storageClass.metadata.name ?? "";
    const head = { metadata: { uid: uid ?? "", annotations: bound }, spec: { volumeName, storageClassName } };
    await this.#client.patch(PersistentVolumeClaim, { namespace, name }, { type: "merge", body: head }, { signal });
    const { accessModes = [], capacity = {} } = volume.spec ?? {};
    const status = { phase: "Bound", accessModes, capacity };
    const call = { subresource: "status", signal } as const;
    await this.#client.patch(
      PersistentVolume,
      { name: volumeName },
      { type: "merge", body: { status: { phase: "Bound" } } },
      call,
    );
    await this.#client.patch(PersistentVolumeClaim, { namespace, name }, { type: "merge", body: { status } }, call);
  }

  #fail(claim: PersistentVolumeClaim, storageClass: StorageClass, error: unknown): void {
    if (this.#stopping.signal.aborted || isReason(error, "NotFound")) return;
    const key = keyOf(claim);
    if (error instanceof ProvisionRefusal) {
      const words = `failed to provision volume with StorageClass "${storageClass.metadata.name}": ${error.message}`;
      const note = {
        type: "Warning" as const,
        reason: "ProvisioningFailed",
        message: words,
        component: this.#provisioner,
        at: this.#clock.now(),
      };
      void countEvent(this.#client, claim, note).catch((fault: unknown) =>
        this.#onError(`cannot create an Event of claim ${key}`, fault),
      );
    } else this.#onError(`cannot bind claim ${key}`, error);
    this.#retries.later(key, () => {
      const now = this.#claims.get(key);
      if (now !== undefined) this.#consider(now);
    });
  }

  /** Claims that went while nobody looked left their volumes behind. */
  async #clearOrphans(): Promise<void> {
    const { items } = await this.#client.list(PersistentVolume, { signal: this.#stopping.signal });
    const present = new Set([...this.#claims.values()].map(({ metadata }) => metadata.uid));
    for (const { metadata, spec } of items) {
      const isOurs = metadata.annotations?.["pv.kubernetes.io/provisioned-by"] === this.#provisioner;
      if (isOurs && !present.has(spec?.claimRef?.uid)) this.#release(metadata.name ?? "");
    }
  }

  #lose(claim: PersistentVolumeClaim): void {
    this.#claims.delete(keyOf(claim));
    this.#retries.settle(keyOf(claim));
    const name = volumeNameOf(claim);
    if (this.#classOf(claim)?.provisioner === this.#provisioner && claim.spec?.volumeName === name) this.#release(name);
    // Whoever did not fit may fit now.
    for (const key of this.#retries.keys()) {
      const waiting = this.#claims.get(key);
      if (waiting !== undefined) this.#consider(waiting);
    }
  }

  /** A volume that was made for a claim goes with it, and what is behind it too, unless it is to be kept. */
  #release(name: string): void {
    const key = `volume ${name}`;
    void reclaimVolume(this.#client, this.#storage, name)
      .then(() => this.#retries.settle(key))
      .catch((error: unknown) => {
        if (this.#stopping.signal.aborted) return;
        if (!(error instanceof ProvisionRefusal)) this.#onError(`cannot release ${key}`, error);
        this.#retries.later(key, () => this.#release(name));
      });
  }
}

/** For nodes that run nothing: volumes are only objects. */
const nothingBehind: Provisioner = {
  provision: async (claim, storageClass, node) => volumeOf(claim, storageClass, node),
  remove: async () => undefined,
};

const keyOf = ({ metadata }: PersistentVolumeClaim): string => `${metadata.namespace}/${metadata.name}`;
const isBound = (claim: PersistentVolumeClaim | undefined): boolean => claim?.status?.phase === "Bound";
