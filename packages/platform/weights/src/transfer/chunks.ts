import type { Readable } from "node:stream";

/** Read ahead of whoever iterates; beyond it the sender has to wait. */
const maxQueued = 128 * 1024;

/**
 * The chunks of a stream as the network brought them. A stream's own iterator joins what has piled up, which means a copy of nearly
 * every byte when the machine is busy.
 */
export async function* chunksOf(stream: Readable): AsyncGenerator<Uint8Array> {
  const queue: Uint8Array[] = [];
  let queued = 0;
  let end: { readonly error: unknown } | undefined;
  let wake = () => {};
  stream.on("data", (chunk: Uint8Array) => {
    queue.push(chunk);
    queued += chunk.byteLength;
    if (queued >= maxQueued) stream.pause();
    wake();
  });
  const ended = (error?: unknown): void => {
    end ??= { error };
    wake();
  };
  stream.once("end", () => ended());
  stream.once("close", () => ended());
  stream.on("error", ended);
  try {
    for (;;) {
      const chunk = queue.shift();
      if (chunk !== undefined) {
        queued -= chunk.byteLength;
        if (queued === 0 && stream.isPaused()) stream.resume();
        yield chunk;
        continue;
      }
      if (end?.error !== undefined) throw end.error;
      if (end !== undefined) return;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  } finally {
    stream.destroy();
  }
}
