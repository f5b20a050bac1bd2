import { type Answered, askingKey, type Query } from "@trivium/reconcile";
import { absent, deepEqual, deepFreeze, type Fact, known, type Millis, pending, unreachable } from "@trivium/std";
import { type BackoffLimits, backoffDelay, type Random } from "./backoff.ts";
import type { Cancel, Clock } from "./clock.ts";

export interface ProberOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly answers: readonly Answered[];
  /** Somebody still depends on the answer. */
  readonly isWanted: (key: string) => boolean;
  /** The answer is another than before. */
  readonly onAnswer: (key: string) => void;
  readonly maxAnswers?: number;
  readonly maxInFlight?: number;
  readonly timeout?: Millis;
}

interface Entry {
  readonly key: string;
  readonly ttl: Millis;
  readonly absentTtl: Millis;
  readonly timeout: Millis;
  readonly find: (signal: AbortSignal) => Promise<unknown>;
  fact: Fact<unknown>;
  failures: number;
  /** The other side asked to be left alone for so long. */
  patience: Millis;
  next?: Cancel;
  /** Ends the call that is in flight. */
  abort?: (() => void) | undefined;
}

const backoff: BackoffLimits = { first: 1_000, most: 300_000 };
/** Whoever asks for more is asked again nevertheless. */
const maxPatience: Millis = 3_600_000;

/**
 * Asks the outside world on behalf of passes, which never wait. One call in flight for a question and its arguments, however many
 * ask. An answer is good for its time to live, and is found again after that as long as a reader depends on it; a call that
 * fails is `unreachable` and tried again with growing delays, and not before the time that its error asks for (`retryAfterMs`).
 * A call ends when its last reader is gone: reading a large file can take minutes.
 */
export class Prober {
  readonly #options: ProberOptions;
  readonly #answers: ReadonlyMap<string, Answered>;
  readonly #entries = new Map<string, Entry>();
  readonly #line: Entry[] = [];
  readonly #stopping = new AbortController();
  #inFlight = 0;

  constructor(options: ProberOptions) {
    this.#options = options;
    this.#answers = new Map(options.answers.map((answered) => [answered.query.name, answered]));
  }

  ask<A, R>(query: Query<A, R>, args: A): Fact<R> {
    const key = askingKey(query, args);
    const entry = this.#entries.get(key);
    if (entry !== undefined) return entry.fact as Fact<R>;
    const answered = this.#answers.get(query.name);
    if (answered === undefined) return unreachable(`no answer function for query "${query.name}"`);
    this.#makeSpace();
    const find = (signal: AbortSignal) => answered.answer(args, { signal });
    const { ttl, absentTtl = ttl, timeout = this.#options.timeout ?? 30_000 } = query;
    this.#queue({ key, ttl, absentTtl, timeout, find, fact: pending, failures: 0, patience: 0 });
    return pending;
  }

  /** The last reader is gone. What is being found out for the first time is given up; what is known stays for its time to live. */
  release(key: string): void {
    const entry = this.#entries.get(key);
    if (entry?.fact.is !== "pending") return;
    const place = this.#line.indexOf(entry);
    if (place >= 0) this.#line.splice(place, 1);
    this.#entries.delete(key);
    entry.abort?.();
  }

  get size(): number {
    return this.#entries.size;
  }

  stop(): void {
    this.#stopping.abort();
    for (const { next } of this.#entries.values()) next?.();
    this.#entries.clear();
    this.#line.length = 0;
  }

  #queue(entry: Entry): void {
    this.#entries.set(entry.key, entry);
    this.#line.push(entry);
    this.#pump();
  }

  #pump(): void {
    while (this.#inFlight < (this.#options.maxInFlight ?? 16)) {
      const entry = this.#line.shift();
      if (entry === undefined) return;
      this.#find(entry);
    }
  }

  async #find(entry: Entry): Promise<void> {
    this.#inFlight += 1;
    const fact = await this.#call(entry);
    this.#inFlight -= 1;
    if (this.#stopping.signal.aborted) return;
    if (this.#entries.get(entry.key) === entry) this.#keep(entry, fact);
    this.#pump();
  }

  #keep(entry: Entry, fact: Fact<unknown>): void {
    entry.failures = fact.is === "unreachable" ? entry.failures + 1 : 0;
    const isNew = !deepEqual(entry.fact, fact);
    entry.fact = fact;
    this.#planNext(entry);
    if (isNew) this.#options.onAnswer(entry.key);
  }

  async #call(entry: Entry): Promise<Fact<unknown>> {
    const { clock } = this.#options;
    const { timeout } = entry;
    entry.patience = 0;
    const ending = new AbortController();
    const ended = Promise.withResolvers<never>();
    const end = (why: string) => {
      ending.abort();
      ended.reject(new Error(why));
    };
    const cancel = clock.schedule(timeout, () => end(`no response within ${timeout / 1000}s`));
    entry.abort = () => end("not needed any more");
    try {
      const call = entry.find(AbortSignal.any([ending.signal, this.#stopping.signal]));
      const value = await Promise.race([call, ended.promise]);
      return value === undefined ? absent : known(deepFreeze(value));
    } catch (error) {
      entry.patience = patienceIn(error);
      return unreachable(error instanceof Error ? error.message : String(error));
    } finally {
      cancel();
      entry.abort = undefined;
    }
  }

  #planNext(entry: Entry): void {
    const { clock, random } = this.#options;
    const ttl = entry.fact.is === "absent" ? entry.absentTtl : entry.ttl;
    const delay = entry.failures > 0 ? Math.max(entry.patience, backoffDelay(backoff, entry.failures, random)) : ttl;
    if (delay === Number.POSITIVE_INFINITY) return;
    entry.next = clock.schedule(delay, () => {
      if (this.#options.isWanted(entry.key)) this.#queue(entry);
      else this.#entries.delete(entry.key);
    });
  }

  /** Answers that nobody depends on go first, oldest first; those in use stay even if there are too many. */
  #makeSpace(): void {
    const { maxAnswers = 5_000, isWanted } = this.#options;
    if (this.#entries.size < maxAnswers) return;
    for (const [key, entry] of this.#entries) {
      if (entry.fact.is === "pending" || isWanted(key)) continue;
      entry.next?.();
      this.#entries.delete(key);
      if (this.#entries.size < maxAnswers) return;
    }
  }
}

function patienceIn(error: unknown): Millis {
  const asked = (error as { retryAfterMs?: unknown } | null | undefined)?.retryAfterMs;
  return typeof asked === "number" && asked > 0 ? Math.min(asked, maxPatience) : 0;
}
