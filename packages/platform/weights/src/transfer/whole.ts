import { WeightsError } from "../fault.ts";
import { Patience } from "./http/patience.ts";
import { Watchdog } from "./http/watchdog.ts";
import { receive } from "./receive.ts";
import type { OpenedBytes } from "./remote-file.ts";
import type { TransferRun } from "./run.ts";

/**
 * Fetches the file in one go, for servers that give no ranges or no length. A lost connection means asking for everything
 * again, but what is there without a gap is kept and only let pass. Returns the length.
 */
export async function fetchWhole(run: TransferRun, total: number | undefined): Promise<number> {
  const patience = new Patience(run.settings.retry);
  for (;;) {
    const watchdog = new Watchdog(run.settings.stall, run.settings.signal, run.file.shownAs);
    const startedAt = performance.now();
    const piece = { position: run.part.ranges.frontier, end: total ?? Number.POSITIVE_INFINITY };
    try {
      const opened = withoutFirst(await run.open({ signal: watchdog.signal }), piece.position, (bytes) => {
        watchdog.saw(bytes);
        run.meter.received(bytes);
      });
      const onWritten = run.written((bytes) => patience.progressed(bytes));
      await receive(opened, piece, { ...run, throttle: run.settings.throttle, watchdog, maxHeld, onWritten });
      return piece.position;
    } catch (error) {
      run.meter.attempt++;
      const cause = watchdog.signal.aborted ? watchdog.signal.reason : error;
      await patience.afterFailure(cause, startedAt, run.settings.signal);
      if (run.part.ranges.size > 0) checkSameness(run);
    } finally {
      watchdog.stop();
    }
  }
}

/** One connection may take what many would share. */
const maxHeld = 1024 * 1024;

/** With neither version nor digest nothing tells whether a second answer continues the first one. */
function checkSameness({ file }: TransferRun): void {
  if (file.version !== undefined || file.digest !== undefined) return;
  const message = `${file.shownAs}: connection lost, and the server sent no version to resume with`;
  throw new WeightsError("unreachable", "UpstreamChanged", message);
}

function withoutFirst(opened: OpenedBytes, count: number, onDropped: (bytes: number) => void): OpenedBytes {
  if (count === 0) return opened;
  async function* rest(): AsyncGenerator<Uint8Array> {
    let left = count;
    for await (const chunk of opened.body) {
      const dropped = Math.min(left, chunk.byteLength);
      left -= dropped;
      if (dropped > 0) onDropped(dropped);
      if (dropped < chunk.byteLength) yield chunk.subarray(dropped);
    }
  }
  return { ...opened, body: rest(), cancel: () => opened.cancel() };
}
