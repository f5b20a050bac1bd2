import { WeightsError } from "../fault.ts";
import type { Throttle } from "./http/throttle.ts";
import type { Watchdog } from "./http/watchdog.ts";
import type { Meter } from "./meter.ts";
import type { PartFile } from "./parts/part-file.ts";
import type { OpenedBytes } from "./remote-file.ts";
import type { Stretch } from "./workload.ts";

/** Enough for the disk to be cheap, little enough that a kill costs next to nothing. */
const flushBytes = 256 * 1024;
const flushAfterMs = 8;

export interface Receiver {
  readonly part: PartFile;
  readonly meter: Meter;
  readonly throttle: Throttle | undefined;
  readonly watchdog: Watchdog;
  /** Reading goes on until so much waits for a write that is under way. */
  readonly maxHeld: number;
  /** Called after bytes were written. */
  onWritten(bytes: number): void;
}

/**
 * Writes what comes in at `piece.position`, which follows what is safely written, until `piece.end`. Reading goes on while
 * one write is under way. Fails when the other side ends early.
 */
export async function receive(opened: OpenedBytes, piece: Stretch, receiver: Receiver): Promise<void> {
  const { part, meter, throttle, watchdog } = receiver;
  let chunks: Uint8Array[] = [];
  let held = 0;
  let readTo = piece.position;
  let flushedAt = performance.now();
  let writing: Promise<void> = Promise.resolve();
  let isWriting = false;

  const flush = async (): Promise<void> => {
    await watchdog.hold(writing);
    const batch = chunks;
    const bytes = held;
    const at = readTo - bytes;
    chunks = [];
    held = 0;
    flushedAt = performance.now();
    isWriting = true;
    writing = part.write(batch, at).then(() => {
      isWriting = false;
      piece.position = at + bytes;
      if (opened.recycle !== undefined) for (const chunk of batch) opened.recycle(chunk);
      receiver.onWritten(bytes);
    });
    // Looked at by the next flush or at the end; a failure in between must not count as unhandled.
    writing.catch(() => {});
  };

  try {
    for await (const chunk of opened.body) {
      watchdog.saw(chunk.byteLength);
      meter.received(chunk.byteLength);
      const wanted = chunk.subarray(0, Math.max(0, piece.end - readTo));
      if (wanted.byteLength > 0) {
        chunks.push(wanted);
        held += wanted.byteLength;
        readTo += wanted.byteLength;
      }
      const isDue = held >= flushBytes || (held > 0 && performance.now() - flushedAt > flushAfterMs);
      if (isDue && (!isWriting || held >= receiver.maxHeld)) await flush();
      if (readTo >= piece.end) break;
      if (throttle !== undefined) await watchdog.hold(throttle.take(chunk.byteLength, watchdog.signal));
    }
  } finally {
    opened.cancel();
    if (held > 0) await flush();
    await writing;
  }
  if (piece.end !== Number.POSITIVE_INFINITY && readTo < piece.end) {
    throw new WeightsError(
      "unreachable",
      "Unreachable",
      `the connection ended at byte ${readTo}, before byte ${piece.end}`,
    );
  }
}
