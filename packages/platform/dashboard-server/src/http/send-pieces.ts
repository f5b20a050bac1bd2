import { once } from "node:events";
import type { ServerResponse } from "node:http";

/** A page that reads nothing for so long is gone, or holds memory that others need. */
export const defaultPatience = 60_000;

/** Small enough that a page on a slow network is seen to read. */
const chunkBytes = 64 * 1024;

/**
 * Writes one piece after the other and waits while the page does not read: the sender then stops reading as well, and nothing piles up
 * here. A page that reads nothing for too long is cut off.
 */
export class SlowWriter {
  readonly #response: ServerResponse;
  readonly #patience: number;
  #last: Promise<void> = Promise.resolve();

  constructor(response: ServerResponse, patience = defaultPatience) {
    this.#response = response;
    this.#patience = patience;
  }

  /** Resolves when the page has taken it, or is gone. Pieces of several senders are never mixed. */
  write(piece: string | Uint8Array): Promise<void> {
    this.#last = this.#last.then(() => this.#writeChunks(Buffer.from(piece as string)));
    return this.#last;
  }

  async #writeChunks(bytes: Buffer): Promise<void> {
    for (let at = 0; at < bytes.length; at += chunkBytes) {
      if (this.#response.destroyed || this.#response.writableEnded) return;
      if (!this.#response.write(bytes.subarray(at, at + chunkBytes))) await this.#drain();
    }
  }

  async #drain(): Promise<void> {
    const over = new AbortController();
    const timer = setTimeout(() => this.#response.destroy(), this.#patience);
    try {
      const { signal } = over;
      await Promise.race([once(this.#response, "drain", { signal }), once(this.#response, "close", { signal })]);
    } finally {
      clearTimeout(timer);
      over.abort();
    }
  }
}

/** Sends what arrives as it arrives and ends the answer; what breaks in the middle breaks the answer, too. */
export async function sendPieces(
  response: ServerResponse,
  pieces: AsyncIterable<string | Uint8Array>,
  patience?: number,
): Promise<void> {
  const writer = new SlowWriter(response, patience);
  try {
    for await (const piece of pieces) {
      await writer.write(piece);
      if (response.destroyed) return;
    }
    response.end();
  } catch {
    response.destroy();
  }
}
