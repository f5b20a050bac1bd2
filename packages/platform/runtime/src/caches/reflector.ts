import { ApiError, isReason, type Kind, type KubeClient, type KubeObject, type WatchEvent } from "@trivium/kube";
import { assertNever, type Millis } from "@trivium/std";
import { type BackoffLimits, backoffDelay, type Random } from "../backoff.ts";
import { type Clock, waitFor } from "../clock.ts";
import type { ObjectCache } from "./cache.ts";

export interface ReflectorOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  /** Told of each failure that is retried. */
  readonly onError?: (error: unknown) => void;
  readonly onRestart?: (how: "list" | "watch") => void;
  /** Resolves when it is worth while to list a kind again that was not served for some time; the usual delays when left out. */
  readonly whenServed?: (kind: Kind, signal: AbortSignal) => Promise<void>;
}

const pageSize = 500;
const backoff: BackoffLimits = { first: 250, most: 30_000 };
/** How long the server is asked to keep one watch: spread, so that thousands do not come back together. */
const watchSeconds = { least: 300, spread: 300 };
/** A watch that the server should have ended this long ago is a dead connection. */
const overdue: Millis = 30_000;
/** A watch that ends sooner than this without a word is not worth starting again at once. */
const shortest: Millis = 1_000;
const believedDenials = 4;
/** A kind that is being installed is served within half a minute, which is so many lists. */
const installingDenials = 7;

/** Keeps a cache equal to the server: lists once, follows the watch, resumes it, and lists again when history was forgotten. */
export async function reflect<O extends KubeObject>(
  cache: ObjectCache<O>,
  options: ReflectorOptions,
  signal: AbortSignal,
): Promise<void> {
  const reflector = new Reflector(cache, options, signal);
  let failures = 0;
  while (!signal.aborted) {
    const went = await reflector.turn();
    failures = went === "well" ? 0 : failures + 1;
    if (went === "unserved" && failures > installingDenials && options.whenServed !== undefined)
      await options.whenServed(cache.kind, signal);
    else if (failures > 0) await waitFor(options.clock, backoffDelay(backoff, failures, options.random), signal);
  }
}

type Turn = "well" | "badly" | "unserved";

class Reflector<O extends KubeObject> {
  readonly #cache: ObjectCache<O>;
  readonly #options: ReflectorOptions;
  readonly #signal: AbortSignal;
  /** Where the next watch begins; nothing when a list is needed first. */
  #version: string | undefined;
  /** Whether the watch of this turn has brought anything. */
  #hasSeen = false;
  #denials = 0;

  constructor(cache: ObjectCache<O>, options: ReflectorOptions, signal: AbortSignal) {
    this.#cache = cache;
    this.#options = options;
    this.#signal = signal;
  }

  /** One list, if needed, and one watch. */
  async turn(): Promise<Turn> {
    const listed = this.#version === undefined;
    this.#hasSeen = false;
    try {
      if (listed) await this.#list();
      const isWorthwhile = await this.#watch();
      return isWorthwhile || listed ? "well" : "badly";
    } catch (error) {
      return this.#signal.aborted ? "well" : this.#recover(error, listed && !this.#hasSeen);
    }
  }

  #recover(error: unknown, wasFresh: boolean): Turn {
    if (isForgotten(error)) {
      this.#version = undefined;
      // Straight to a new list, unless that is what was just tried.
      return wasFresh ? "badly" : "well";
    }
    if (isReason(error, "NotFound")) {
      this.#doubtKind();
      return "unserved";
    }
    this.#options.onError?.(error);
    return "badly";
  }

  /** A kind that is not served has no objects. Those we know of are given up only when the server says so again and again. */
  #doubtKind(): void {
    this.#version = undefined;
    this.#denials += 1;
    if (this.#cache.size > 0 && this.#denials < believedDenials) return;
    this.#cache.isServed = false;
    this.#cache.replace([], undefined);
  }

  async #list(): Promise<void> {
    this.#options.onRestart?.("list");
    const { items, version } = await this.#pages().catch((error: unknown) => {
      // The continue token outlived the history behind it: one whole list needs no token.
      if (isForgotten(error)) return this.#pages(0);
      throw error;
    });
    if (this.#signal.aborted) return;
    this.#denials = 0;
    this.#cache.isServed = true;
    this.#cache.replace(items, version);
    this.#version = version ?? "0";
  }

  async #pages(limit = pageSize): Promise<{ items: O[]; version: string | undefined }> {
    const items: O[] = [];
    let token: string | undefined;
    for (;;) {
      const page = await this.#options.client.list(this.#cache.kind, {
        signal: this.#signal,
        ...(limit > 0 ? { limit } : {}),
        ...(token === undefined ? {} : { continue: token }),
      });
      for (const item of page.items) items.push(item);
      token = page.metadata.continue || undefined;
      if (token === undefined) return { items, version: page.metadata.resourceVersion };
    }
  }

  /** Follows one watch to its end. Says whether it was worth its while: it brought something, or it lasted. */
  async #watch(): Promise<boolean> {
    const { client, clock, random } = this.#options;
    const seconds = Math.round(watchSeconds.least + random() * watchSeconds.spread);
    const dead = new AbortController();
    const cancel = clock.schedule(seconds * 1000 + overdue, () => dead.abort());
    const began = clock.now();
    this.#options.onRestart?.("watch");
    try {
      const events = client.watch(this.#cache.kind, {
        signal: AbortSignal.any([this.#signal, dead.signal]),
        resourceVersion: this.#version ?? "0",
        allowWatchBookmarks: true,
        timeoutSeconds: seconds,
      });
      for await (const event of events) {
        if (this.#signal.aborted) break;
        this.#take(event);
      }
    } finally {
      cancel();
    }
    return this.#hasSeen || clock.now() - began >= shortest;
  }

  #take(event: WatchEvent<O>): void {
    this.#hasSeen = true;
    switch (event.type) {
      case "ADDED":
      case "MODIFIED":
        this.#cache.put(event.object);
        break;
      case "DELETED":
        this.#cache.remove(event.object);
        break;
      case "BOOKMARK":
        this.#cache.reach(event.object.metadata.resourceVersion);
        break;
      default:
        assertNever(event);
    }
    this.#version = event.object.metadata.resourceVersion ?? this.#version;
  }
}

/** The server no longer has the history that was asked for. */
function isForgotten(error: unknown): boolean {
  return error instanceof ApiError && (error.code === 410 || error.reason === "Expired" || error.reason === "Gone");
}
