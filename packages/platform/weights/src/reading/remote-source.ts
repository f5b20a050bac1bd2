import { WeightsError } from "../fault.ts";
import type { OpenedBytes, RemoteFile } from "../transfer/remote-file.ts";
import type { ByteSource } from "./byte-source.ts";

const kibibyte = 1024;

/** The first three steps stay under 2 MB together; only a header that must be walked goes on to the larger ones. */
const steps = [256 * kibibyte, 512 * kibibyte, 1024 * kibibyte, 4096 * kibibyte];

/** A header that has not come after this long will not come. */
const patienceMs = 30_000;

/** What a remote file cost so far. */
export interface RemoteCost {
  readonly requests: number;
  readonly bytes: number;
}

/**
 * A file somewhere else, read by ranges. Where ranges are refused it is read as one stream from the front, and only forward:
 * headers are read that way, and asking anew for each piece would fetch everything each time.
 */
export function openRemoteSource(
  file: RemoteFile,
  signal: AbortSignal,
  limitMs: number = patienceMs,
): ByteSource & { readonly cost: RemoteCost } {
  const reader = new RemoteReader(file, signal, limitMs);
  return {
    shownAs: file.shownAs,
    get size() {
      return reader.size;
    },
    steps,
    maxReads: 64,
    read: (offset, length) => reader.read(offset, length),
    close: () => reader.close(),
    get cost() {
      return { requests: reader.requests, bytes: reader.bytes };
    },
  };
}

class RemoteReader {
  size: number | undefined;
  requests = 0;
  bytes = 0;
  readonly #file: RemoteFile;
  readonly #signal: AbortSignal;
  readonly #limitMs: number;
  /** Starts with the first read: the parts of a model are opened together and read one after the other. */
  #deadline: AbortSignal | undefined;
  #version: string | undefined;
  #stream: ForwardStream | undefined;

  constructor(file: RemoteFile, signal: AbortSignal, limitMs: number) {
    this.#file = file;
    this.#signal = signal;
    this.#limitMs = limitMs;
    this.size = file.size;
    this.#version = file.version;
  }

  async read(offset: number, length: number): Promise<Uint8Array> {
    const end = Math.min(offset + length, this.size ?? Number.MAX_SAFE_INTEGER);
    if (end <= offset) return new Uint8Array(0);
    this.#deadline ??= AbortSignal.timeout(this.#limitMs);
    try {
      return await this.#readRange(offset, end);
    } catch (error) {
      if (this.#signal.aborted || !this.#deadline.aborted) throw error;
      const message = `${this.#file.shownAs}: no header received within ${this.#limitMs / 1000}s`;
      throw new WeightsError("unreachable", "Stalled", message, { cause: error });
    }
  }

  async #readRange(offset: number, end: number): Promise<Uint8Array> {
    if (this.#stream !== undefined) return this.#take(this.#stream, offset, end);
    const opened = await this.#open(offset, end);
    const stream = new ForwardStream(opened, this.#file.shownAs);
    if (opened.start === offset) {
      try {
        return await this.#take(stream, offset, end);
      } finally {
        stream.close();
      }
    }
    this.#stream = stream;
    return this.#take(stream, offset, end);
  }

  async close(): Promise<void> {
    this.#stream?.close();
  }

  async #open(start: number, end: number): Promise<OpenedBytes> {
    this.requests++;
    const version = this.#version;
    const range = { start, end };
    const opened = await this.#file.open({
      range,
      signal: this.#deadline === undefined ? this.#signal : AbortSignal.any([this.#signal, this.#deadline]),
      ...(version === undefined ? {} : { version }),
    });
    const hasChanged = version !== undefined && opened.version !== undefined && opened.version !== version;
    const hasOtherSize = this.size !== undefined && opened.total !== undefined && opened.total !== this.size;
    if (hasChanged || hasOtherSize) {
      opened.cancel();
      throw new WeightsError(
        "unreachable",
        "UpstreamChanged",
        `${this.#file.shownAs}: it changed while it was being read`,
      );
    }
    if (opened.start !== start && opened.start !== 0) {
      opened.cancel();
      const message = `${this.#file.shownAs}: requested byte ${start}, the server sent byte ${opened.start}`;
      throw new WeightsError("unreachable", "RangesRefused", message);
    }
    this.size ??= opened.total;
    // A file that its listing gives no version for is held to the version of its first answer.
    this.#version ??= opened.version;
    return opened;
  }

  async #take(stream: ForwardStream, start: number, end: number): Promise<Uint8Array> {
    const before = stream.received;
    try {
      return await stream.take(start, end);
    } finally {
      this.bytes += stream.received - before;
    }
  }
}

/** A body that is read forward only. */
class ForwardStream {
  received = 0;
  readonly #opened: OpenedBytes;
  readonly #chunks: AsyncIterator<Uint8Array>;
  readonly #shownAs: string;
  #position: number;
  #rest: Uint8Array = new Uint8Array(0);

  constructor(opened: OpenedBytes, shownAs: string) {
    this.#opened = opened;
    this.#chunks = opened.body[Symbol.asyncIterator]();
    this.#shownAs = shownAs;
    this.#position = opened.start;
  }

  async take(start: number, end: number): Promise<Uint8Array> {
    if (start < this.#position) throw new Error(`${this.#shownAs}: cannot read byte ${start} of a stream again`);
    const taken: Uint8Array[] = [];
    while (this.#position < end) {
      if (this.#rest.length === 0 && !(await this.#next())) break;
      const from = Math.max(0, start - this.#position);
      const to = Math.min(this.#rest.length, end - this.#position);
      if (from < to) taken.push(this.#rest.subarray(from, to));
      const used = Math.min(this.#rest.length, Math.max(to, from));
      this.#position += used;
      this.#rest = this.#rest.subarray(used);
    }
    return taken.length === 1 && taken[0] !== undefined ? taken[0] : Buffer.concat(taken);
  }

  close(): void {
    this.#opened.cancel();
  }

  async #next(): Promise<boolean> {
    try {
      const { value, done } = await this.#chunks.next();
      if (done === true) return false;
      this.#rest = value;
      this.received += value.length;
      return true;
    } catch (error) {
      if (error instanceof WeightsError) throw error;
      const message = `${this.#shownAs}: connection lost while reading its header; try again`;
      throw new WeightsError("unreachable", "Unreachable", message, { cause: error });
    }
  }
}
