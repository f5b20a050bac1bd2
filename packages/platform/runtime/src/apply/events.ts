import { Event, isReason, type KubeClient, type KubeObject } from "@trivium/kube";
import type { Note } from "@trivium/reconcile";
import { formatTime, type Instant, parseTime } from "@trivium/std";
import { EventCorrelation, type Telling } from "./event-correlation.ts";
import { hasPiece, pieceOf } from "./pieces.ts";

export interface RecorderOptions {
  readonly client: KubeClient;
  readonly now: () => Instant;
  /** Which process tells: the host or pod name. */
  readonly instance: string;
  readonly onError?: (error: unknown) => void;
}

const maxWaiting = 1_000;
/** So many Events are on their way at a time. Those about one object share a lane, so that they arrive in order. */
const lanes = 8;
const maxMessage = 1_024;
/** Of an object that this process has changed, and of another. */
const ours = "+";
const others = "-";

/**
 * Turns notes into Events. Decisions name their notes in every pass; a note is told when it was not in the pass before.
 * Of an object that this process has not changed yet nothing is told: after a restart all was told before us.
 * Events are sent in the background, those about one object one after the other, and one that cannot be sent is lost: they are news,
 * not state.
 */
export class EventRecorder {
  readonly #options: RecorderOptions;
  readonly #correlation = new EventCorrelation();
  /** Whether this process has changed an object, and the notes of its last pass: tokens in a row. */
  readonly #last = new Map<string, string>();
  readonly #sending: Promise<void>[] = Array.from({ length: lanes }, () => Promise.resolve());
  #waiting = 0;

  constructor(options: RecorderOptions) {
    this.#options = options;
  }

  tell(
    reader: string,
    speaker: string,
    object: KubeObject,
    events: { notes: readonly Note[]; hasChanged: boolean },
  ): void {
    const before = this.#last.get(reader) ?? others;
    const isOurs = events.hasChanged || before.startsWith(ours);
    const tokens = events.notes.map(tokenOf);
    this.#last.set(reader, [isOurs ? ours : others, ...tokens].join(""));
    if (!isOurs) return;
    events.notes.forEach((note, i) => {
      if (!hasPiece(before.slice(1), tokens[i] as string)) this.#enqueue(speaker, object, note);
    });
  }

  /** Tells at once, of any object: something that was just done. */
  announce(speaker: string, object: KubeObject, note: Note): void {
    this.#enqueue(speaker, object, note);
  }

  forget(reader: string): void {
    this.#last.delete(reader);
  }

  /** Resolves when everything told so far was sent or given up. */
  async flush(): Promise<void> {
    await Promise.all(this.#sending);
  }

  #enqueue(speaker: string, object: KubeObject, note: Note): void {
    const now = this.#options.now();
    const telling = this.#correlation.correlate(`${speaker} ${object.metadata.uid}`, note, now);
    if (telling === undefined || this.#waiting >= maxWaiting) return;
    this.#waiting += 1;
    const event = this.#eventOf(speaker, object, note, telling);
    const lane = laneOf(object);
    this.#sending[lane] = (this.#sending[lane] as Promise<void>)
      .then(() => this.#send(event, telling))
      .catch((error: unknown) => this.#options.onError?.(error))
      .finally(() => {
        this.#waiting -= 1;
      });
  }

  async #send(event: Event, telling: Telling): Promise<void> {
    const { client } = this.#options;
    if (telling.count > 1 && (await this.#bump(event, telling.count))) return;
    try {
      await client.create(Event, event);
    } catch (error) {
      if (!isReason(error, "AlreadyExists")) throw error;
      await this.#join(event, telling);
    }
  }

  /** Counts on the Event that is there; false when it is not there any more. */
  async #bump(event: Event, count: number): Promise<boolean> {
    const { name = "", namespace } = event.metadata;
    const body = { count, lastTimestamp: event.lastTimestamp ?? null, message: event.message ?? "" };
    try {
      await this.#options.client.patch(Event, { namespace, name }, { type: "merge", body });
      return true;
    } catch (error) {
      if (isReason(error, "NotFound")) return false;
      throw error;
    }
  }

  /** Another process told the same before: its count goes on. */
  async #join(event: Event, telling: Telling): Promise<void> {
    const { name = "", namespace } = event.metadata;
    // A patch answers with the whole Event, so the right to read Events is not needed.
    const body = { lastTimestamp: event.lastTimestamp ?? null };
    const there = await this.#options.client.patch(Event, { namespace, name }, { type: "merge", body });
    const count = (there.count ?? 1) + 1;
    this.#correlation.resume(telling.key, count, parseTime(there.firstTimestamp ?? "") ?? telling.firstAt);
    await this.#bump(event, count);
  }

  #eventOf(speaker: string, object: KubeObject, note: Note, telling: Telling): Event {
    const { name = "", namespace, uid, resourceVersion } = object.metadata;
    const head = { apiVersion: object.apiVersion, kind: object.kind, name, uid, resourceVersion };
    return {
      apiVersion: "v1",
      kind: "Event",
      metadata: { name: `${name.slice(0, 230)}.${telling.key}`, namespace: namespace ?? "default" },
      involvedObject: namespace === undefined ? head : { ...head, namespace },
      type: note.type,
      reason: note.reason,
      message: telling.message.slice(0, maxMessage),
      ...(note.action === undefined ? {} : { action: note.action }),
      source: { component: speaker },
      reportingComponent: speaker,
      reportingInstance: this.#options.instance,
      firstTimestamp: formatTime(telling.firstAt),
      lastTimestamp: formatTime(this.#options.now()),
      count: telling.count,
    };
  }
}

const tokenOf = (note: Note): string => pieceOf([note.type, note.reason, note.action ?? "", note.message]);

/** The end of a uid is random enough. */
function laneOf({ metadata }: KubeObject): number {
  const random = Number.parseInt(metadata.uid?.slice(-4) ?? "", 16);
  return Number.isNaN(random) ? 0 : random % lanes;
}
