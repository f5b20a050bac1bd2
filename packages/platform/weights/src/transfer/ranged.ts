import { WeightsError } from "../fault.ts";
import { Concurrency } from "./concurrency.ts";
import { asFault, Patience } from "./http/patience.ts";
import { Watchdog } from "./http/watchdog.ts";
import { pieceSize } from "./parts/piece-size.ts";
import { receive } from "./receive.ts";
import type { OpenedBytes } from "./remote-file.ts";
import type { TransferRun } from "./run.ts";
import { type Piece, Workload } from "./workload.ts";

/** Fetches what is missing over several connections at once. Fails with `RangesRefused` where the other side gives no ranges. */
export async function fetchRanged(run: TransferRun, total: number): Promise<void> {
  const { settings, part } = run;
  const workload = new Workload(part.ranges.missing(total));
  const concurrency = new Concurrency(settings.concurrency, performance.now());
  const patience = new Patience(settings.retry);
  const stop = new AbortController();
  const signal = AbortSignal.any([settings.signal, stop.signal]);
  const crew = new Set<Promise<void>>();
  let fault: unknown;

  const take = (rate?: number): Piece | undefined => {
    const facts = { fetched: run.meter.fetched, connections: concurrency.target, rate };
    return workload.take(performance.now(), pieceSize(facts));
  };
  const connect = async (first: Piece): Promise<void> => {
    let rate: number | undefined;
    for (let piece: Piece | undefined = first; piece !== undefined; ) {
      const startedAt = performance.now();
      try {
        const maxHeld = maxHeldOf(concurrency.target);
        await fetchPiece(run, piece, { signal, maxHeld }, (bytes) => {
          concurrency.received(bytes);
          patience.progressed(bytes);
        });
        rate = (piece.position - piece.start) / Math.max(1, performance.now() - startedAt);
        workload.giveBack(piece);
      } catch (error) {
        workload.giveBack(piece);
        run.meter.attempt++;
        if (asFault(error).isOverload) concurrency.overloaded();
        await patience.afterFailure(error, startedAt, signal);
      }
      piece = crew.size <= concurrency.target ? take(rate) : undefined;
    }
  };
  const fill = (): void => {
    while (fault === undefined && crew.size < concurrency.target) {
      const piece = take();
      if (piece === undefined) return;
      const member: Promise<void> = connect(piece)
        .catch((error) => {
          fault ??= error;
          stop.abort(error);
        })
        .finally(() => crew.delete(member));
      crew.add(member);
    }
  };

  const timer = setInterval(() => {
    concurrency.tick(performance.now());
    fill();
  }, settings.concurrency.windowMs / 4);
  try {
    while (fault === undefined && !workload.isDone) {
      fill();
      await Promise.race(crew);
    }
    await Promise.all(crew);
  } finally {
    clearInterval(timer);
  }
  if (fault !== undefined) throw fault;
}

/** Shared memory of all connections, whatever their number: a few large portions or many small ones. */
function maxHeldOf(connections: number): number {
  const kibibyte = 1024;
  return Math.max(256 * kibibyte, Math.min(512 * kibibyte, (4096 * kibibyte) / connections));
}

async function fetchPiece(
  run: TransferRun,
  piece: Piece,
  { signal, maxHeld }: { readonly signal: AbortSignal; readonly maxHeld: number },
  onBytes: (bytes: number) => void,
): Promise<void> {
  const watchdog = new Watchdog(run.settings.stall, signal, run.file.shownAs);
  try {
    const range = { start: piece.position, end: piece.end };
    const opened = await run.open({ range, signal: watchdog.signal });
    checkStart(opened, range.start, run.file.shownAs);
    await receive(opened, piece, {
      ...run,
      throttle: run.settings.throttle,
      watchdog,
      maxHeld,
      onWritten: run.written(onBytes),
    });
  } catch (error) {
    // An aborted read fails in many ways; the reason for the abort is the one that helps.
    throw watchdog.signal.aborted ? watchdog.signal.reason : error;
  } finally {
    watchdog.stop();
  }
}

function checkStart(opened: OpenedBytes, start: number, shownAs: string): void {
  if (opened.start === start) return;
  opened.cancel();
  if (opened.start === 0)
    throw new WeightsError("unreachable", "RangesRefused", `${shownAs}: the server does not support range requests`);
  throw new WeightsError(
    "unreachable",
    "Unreachable",
    `${shownAs}: requested byte ${start}, received byte ${opened.start}`,
  );
}
