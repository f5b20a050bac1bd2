import { WeightsError } from "../fault.ts";
import type { Progress } from "../transfer/meter.ts";
import { formatBar, formatProgress } from "./words.ts";

/** How the program speaks: results on standard output, progress and errors on standard error. */
export interface Reporter {
  progress(progress: Progress): void;
  /** Something else worth knowing on the way. */
  note(value: Readonly<Record<string, unknown>>, text: string): void;
  result(value: unknown, text: string): void;
  failure(error: unknown): void;
}

export interface Streams {
  readonly out: { write(text: string): unknown };
  readonly err: { write(text: string): unknown; readonly isTTY?: boolean; readonly columns?: number };
  /** What an error begins with (default: the name of the program). */
  readonly errorPrefix?: string;
}

/** Where nobody watches a bar, a line every five seconds is enough: a controller reads them from the log. */
const lineEveryMs = 5_000;

export function jsonReporter({ out, err }: Streams): Reporter {
  return {
    progress: (progress) => err.write(`${JSON.stringify({ event: "progress", ...progress })}\n`),
    note: (value) => err.write(`${JSON.stringify(value)}\n`),
    result: (value) => out.write(`${JSON.stringify(value)}\n`),
    failure: (error) => err.write(`${JSON.stringify({ event: "error", ...describe(error) })}\n`),
  };
}

export function textReporter({ out, err, errorPrefix = "trivium-weights" }: Streams): Reporter {
  let reportedAt = Number.NEGATIVE_INFINITY;
  let hasBar = false;
  const endBar = () => {
    if (hasBar) err.write("\n");
    hasBar = false;
  };
  return {
    progress: (progress) => {
      if (err.isTTY === true) {
        hasBar = true;
        err.write(`\r\x1b[K${formatBar(progress, err.columns ?? 80)}`);
        return;
      }
      const now = performance.now();
      const isLast = progress.total !== undefined && progress.bytes >= progress.total;
      if (now - reportedAt < lineEveryMs && !isLast) return;
      reportedAt = now;
      err.write(`${formatProgress(progress)}\n`);
    },
    note: (_, text) => {
      endBar();
      err.write(`${text}\n`);
    },
    result: (_, text) => {
      endBar();
      if (text !== "") out.write(`${text}\n`);
    },
    failure: (error) => {
      endBar();
      err.write(`${errorPrefix}: ${describe(error).message}\n`);
    },
  };
}

/** Results and failures only. */
export const quietReporter = (streams: Streams): Reporter => ({ ...textReporter(streams), progress() {}, note() {} });

function describe(error: unknown): { kind: string; reason: string; message: string } {
  if (error instanceof WeightsError) return { kind: error.kind, reason: error.reason, message: error.message };
  return { kind: "internal", reason: "Internal", message: error instanceof Error ? error.message : String(error) };
}
