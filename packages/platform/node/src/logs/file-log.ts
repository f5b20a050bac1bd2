import { type FSWatcher, watch } from "node:fs";
import { rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Instant, Millis } from "@trivium/std";
import { isLogFile, logFilesOf, sizeOf } from "./log-files.ts";
import type { LogReading } from "./log-reading.ts";
import { LogStamps } from "./log-stamps.ts";
import { readFileLog } from "./read-file-log.ts";
import type { LogOptions } from "./read-log.ts";

export interface FileLogOptions {
  readonly id: string;
  readonly folder: string;
  readonly now: () => Instant;
  /** How many files are kept. */
  readonly files: number;
  /** `over`: nothing more will come, and nobody has to watch. */
  readonly state: "running" | "over";
}

/** How often at most it is noted how far a log has grown. */
const stampEvery: Millis = 100;

/** The log of a run that lies in files. While the run goes on it is watched: for the times of lines, for readers, and to drop old files. */
export class FileLog implements LogReading {
  readonly id: string;
  readonly folder: string;
  readonly #options: FileLogOptions;
  readonly #waiting = new Set<() => void>();
  #stamps: LogStamps | undefined;
  #isEnded: boolean;
  #watcher: FSWatcher | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isDirty = false;
  #newest: string | undefined;

  constructor(options: FileLogOptions) {
    this.#options = options;
    this.id = options.id;
    this.folder = options.folder;
    this.#isEnded = options.state === "over";
  }

  get stamps(): LogStamps {
    this.#stamps ??= new LogStamps(join(this.folder, "stamps"));
    return this.#stamps;
  }

  /** Nothing more will come, as far as is known here. */
  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** Goes on until `end`. `onFile` is told of files that are no logs. */
  async watch(onFile: (name: string) => void): Promise<void> {
    // Whoever read before the run had begun may have seen a folder that was not its own.
    this.#stamps = undefined;
    await this.#catchUp();
    if (this.#isEnded) return;
    this.#watcher = watch(this.folder, (_, name) => {
      if (name === null || isLogFile(name)) this.#grow();
      else onFile(name);
    });
    this.#watcher.on("error", () => this.#watcher?.close());
    this.#grow();
  }

  /** The run is over, or the agent goes: the files stay, and readers are done. */
  end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    clearTimeout(this.#timer);
    if (this.#watcher !== undefined) this.#observe();
    this.#watcher?.close();
    this.#wake();
  }

  read(request: LogOptions, now: Instant): AsyncIterable<string> {
    return readFileLog(this, request, now);
  }

  now(): Instant {
    return this.#options.now();
  }

  /** Resolves when there may be more, when there never will be, or when the caller gives up. */
  whenMore(signal?: AbortSignal): { readonly more: Promise<void>; cancel(): void } {
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = (): void => {
      this.#waiting.delete(cancel);
      signal?.removeEventListener("abort", cancel);
      resolve();
    };
    this.#waiting.add(cancel);
    signal?.addEventListener("abort", cancel, { once: true });
    if (this.isEnded || signal?.aborted) cancel();
    return { more: promise, cancel };
  }

  /** What grew while nobody watched is as old as its file. */
  async #catchUp(): Promise<void> {
    for (const file of logFilesOf(this.folder)) {
      const observed = await stat(join(this.folder, file)).catch(() => undefined);
      if (observed !== undefined) this.#note(file, observed.size, Math.round(observed.mtimeMs));
    }
  }

  #grow(): void {
    if (this.#timer !== undefined) {
      this.#isDirty = true;
      return;
    }
    this.#observe();
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (!this.#isDirty) return;
      this.#isDirty = false;
      this.#grow();
    }, stampEvery);
    this.#timer.unref();
  }

  #observe(): void {
    const files = logFilesOf(this.folder);
    const kept = this.#filled(files).slice(-this.#options.files);
    const at = this.now();
    // The one that was the newest may have grown to its end since.
    for (const file of kept.slice(Math.max(0, kept.indexOf(this.#newest ?? "")))) {
      this.#note(file, sizeOf(this.folder, file), at);
    }
    this.#newest = kept.at(-1);
    if (files.length > kept.length) this.#drop(files, new Set(kept));
    this.#wake();
  }

  /** On a full disk the scribe leaves an empty file at each try: they must not push out what was printed before. */
  #filled(files: readonly string[]): string[] {
    return files.filter((file, index) => index === files.length - 1 || sizeOf(this.folder, file) > 0);
  }

  #note(file: string, size: number, at: Instant): void {
    try {
      this.stamps.note(file, size, at);
    } catch {
      // The disk is full, or the folder is gone: a line without a time is still a line.
    }
  }

  #drop(files: readonly string[], kept: ReadonlySet<string>): void {
    for (const file of files) {
      if (!kept.has(file)) void rm(join(this.folder, file), { force: true }).catch(() => undefined);
    }
    try {
      this.stamps.retain(kept);
    } catch {
      // As above.
    }
  }

  #wake(): void {
    for (const wake of [...this.#waiting]) wake();
  }
}
