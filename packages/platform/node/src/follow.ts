import { ApiError, type Kind, type KubeClient, type KubeObject } from "@trivium/kube";
import { type Clock, waitFor } from "@trivium/runtime";
import type { Millis } from "@trivium/std";

export interface FollowOptions<O extends KubeObject> {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly kind: Kind<O>;
  readonly fieldSelector?: string;
  /** All namespaces when left out. */
  readonly namespace?: string;
  /** Everything there is; what is not in it is gone. Told first, and again when history was lost. */
  onList(objects: readonly O[]): void;
  onChange(object: O): void;
  onGone(object: O): void;
  onError(error: unknown): void;
}

const pageSize = 500;
const firstPause: Millis = 250;
const longestPause: Millis = 30_000;
const watchSeconds = 300;
/** A watch that the server should have ended this long ago is a dead connection. */
const overdue: Millis = 30_000;

/** Follows the objects of a kind, or those that a field selector picks: lists once, watches on, and never polls. Ends with the signal. */
export async function follow<O extends KubeObject>(options: FollowOptions<O>, signal: AbortSignal): Promise<void> {
  const follower = new Follower(options, signal);
  let pause = firstPause;
  while (!signal.aborted) {
    const began = options.clock.now();
    const isWell = await follower.turn();
    if (isWell || options.clock.now() - began > longestPause) pause = firstPause;
    if (isWell) continue;
    await waitFor(options.clock, pause, signal);
    pause = Math.min(longestPause, pause * 2);
  }
}

class Follower<O extends KubeObject> {
  readonly #options: FollowOptions<O>;
  readonly #signal: AbortSignal;
  #version: string | undefined;

  constructor(options: FollowOptions<O>, signal: AbortSignal) {
    this.#options = options;
    this.#signal = signal;
  }

  /** One watch, after a list where one is needed. Says whether to go on at once. */
  async turn(): Promise<boolean> {
    const isFresh = this.#version === undefined;
    try {
      if (isFresh) await this.#list();
      return (await this.#watch()) || isFresh;
    } catch (error) {
      if (this.#signal.aborted) return true;
      const isForgotten = error instanceof ApiError && error.code === 410;
      if (isForgotten) this.#version = undefined;
      else this.#options.onError(error);
      return isForgotten && !isFresh;
    }
  }

  async #list(): Promise<void> {
    const { client, kind, onList } = this.#options;
    const objects: O[] = [];
    let token: string | undefined;
    let version: string | undefined;
    do {
      const more = token === undefined ? {} : { continue: token };
      const page = await client.list(kind, { ...this.#selection(), limit: pageSize, ...more });
      objects.push(...page.items);
      version = page.metadata.resourceVersion;
      token = page.metadata.continue || undefined;
    } while (token !== undefined);
    if (this.#signal.aborted) return;
    this.#version = version ?? "0";
    onList(objects);
  }

  /** Says whether it was worth its while: a watch that ends at once without a word is not begun again at once. */
  async #watch(): Promise<boolean> {
    const { client, clock, kind, onChange, onGone } = this.#options;
    const dead = new AbortController();
    const cancel = clock.schedule(watchSeconds * 1000 + overdue, () => dead.abort());
    const began = clock.now();
    let hasSeen = false;
    try {
      const events = client.watch(kind, {
        ...this.#selection(),
        signal: AbortSignal.any([this.#signal, dead.signal]),
        resourceVersion: this.#version ?? "0",
        allowWatchBookmarks: true,
        timeoutSeconds: watchSeconds,
      });
      for await (const event of events) {
        if (this.#signal.aborted) return true;
        hasSeen = true;
        if (event.type === "DELETED") onGone(event.object);
        else if (event.type !== "BOOKMARK") onChange(event.object);
        this.#version = event.object.metadata.resourceVersion ?? this.#version;
      }
    } finally {
      cancel();
    }
    return hasSeen || clock.now() - began > 1_000;
  }

  #selection(): { fieldSelector?: string; namespace?: string; signal: AbortSignal } {
    const { fieldSelector, namespace } = this.#options;
    return {
      ...(fieldSelector === undefined ? {} : { fieldSelector }),
      ...(namespace === undefined ? {} : { namespace }),
      signal: this.#signal,
    };
  }
}
