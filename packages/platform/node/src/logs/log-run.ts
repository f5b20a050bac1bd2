import type { Instant } from "@trivium/std";
import type { LogSink } from "../sandbox.ts";
import type { LogReading } from "./log-reading.ts";
import { type LogOptions, readLog } from "./read-log.ts";

export interface LogLine {
  readonly at: Instant;
  readonly text: string;
}

/** What is kept of one run of a container, in characters. */
export const defaultLogLimit = 256 * 1024;

/** The lines that one run of a container printed: the newest ones, within a limit. Each line has a number that never changes. */
export class LogRun implements LogSink, LogReading {
  readonly id: string;
  readonly #now: () => Instant;
  readonly #limit: number;
  #lines: LogLine[] = [];
  #dropped = 0;
  #size = 0;
  #isEnded = false;
  readonly #waiting = new Set<() => void>();

  constructor(id: string, now: () => Instant, limit = defaultLogLimit) {
    this.id = id;
    this.#now = now;
    this.#limit = limit;
  }

  /** The number of the oldest line that is still there. */
  get first(): number {
    return this.#dropped;
  }

  /** The number that the next line will have. */
  get next(): number {
    return this.#dropped + this.#lines.length;
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  line(number: number): LogLine | undefined {
    return this.#lines[number - this.#dropped];
  }

  read(request: LogOptions, now: Instant): AsyncIterable<string> {
    return readLog(this, request, now);
  }

  write(text: string, at: Instant = this.#now()): void {
    const whole = text.endsWith("\n") ? text.slice(0, -1) : text;
    for (const line of whole.split("\n")) {
      const kept = line.length > this.#limit ? line.slice(0, this.#limit) : line;
      this.#lines.push({ at, text: kept });
      this.#size += kept.length + 1;
    }
    if (this.#size > this.#limit) this.#dropOldest();
    this.#wake();
  }

  /** Nothing more will come: whoever follows is done. */
  end(): void {
    this.#isEnded = true;
    this.#wake();
  }

  /** Resolves when there is a line of this number, when there never will be, or when the caller gives up. */
  whenMore(number: number, signal?: AbortSignal): Promise<void> {
    if (this.next > number || this.#isEnded || signal?.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const done = () => {
        this.#waiting.delete(done);
        signal?.removeEventListener("abort", done);
        resolve();
      };
      this.#waiting.add(done);
      signal?.addEventListener("abort", done, { once: true });
    });
  }

  /** More than needed at once, so that a chatty container does not move the whole list for each line. */
  #dropOldest(): void {
    const goal = this.#limit * 0.75;
    let count = 0;
    while (this.#size > goal && count < this.#lines.length - 1) {
      this.#size -= (this.#lines[count] as LogLine).text.length + 1;
      count += 1;
    }
    this.#lines = this.#lines.slice(count);
    this.#dropped += count;
  }

  #wake(): void {
    for (const wake of [...this.#waiting]) wake();
  }
}
