import { type Instant, parseTime } from "@trivium/std";
import type { LogRun } from "./log-run.ts";

/** Which part of a log is wanted, as the query of `pods/log` says it. */
export interface LogOptions {
  readonly follow: boolean;
  readonly timestamps: boolean;
  readonly sinceSeconds?: number | undefined;
  readonly sinceTime?: string | undefined;
  readonly tailLines?: number | undefined;
  readonly limitBytes?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

const linesAtOnce = 512;

/** The wanted part of a log, in pieces of whole lines. A followed log ends when its container does, or when the reader goes. */
export async function* readLog(run: LogRun, request: LogOptions, now: Instant): AsyncGenerator<string> {
  let left = request.limitBytes ?? Number.POSITIVE_INFINITY;
  let number = startOf(run, request, now);
  while (left > 0 && request.signal?.aborted !== true) {
    if (number < run.first) number = run.first;
    if (number < run.next) {
      const end = Math.min(run.next, number + linesAtOnce);
      const piece = cut(linesBetween(run, number, end, request.timestamps), left);
      number = end;
      left -= piece.size;
      yield piece.text;
    } else if (request.follow && !run.isEnded) {
      await run.whenMore(number, request.signal);
    } else {
      return;
    }
  }
}

/** The first line that is wanted: late enough, and among the last ones asked for. */
function startOf(run: LogRun, request: LogOptions, now: Instant): number {
  const since = sinceOf(request, now);
  let number = run.first;
  while (number < run.next && (run.line(number)?.at ?? 0) < since) number += 1;
  return request.tailLines === undefined ? number : Math.max(number, run.next - request.tailLines);
}

export function sinceOf({ sinceSeconds, sinceTime }: LogOptions, now: Instant): Instant {
  if (sinceSeconds !== undefined) return now - sinceSeconds * 1000;
  return sinceTime === undefined ? 0 : (parseTime(sinceTime) ?? 0);
}

function linesBetween(run: LogRun, from: number, to: number, timestamps: boolean): string {
  let text = "";
  for (let number = from; number < to; number += 1) {
    const line = run.line(number);
    if (line === undefined) continue;
    text += timestamps ? `${stampOf(line.at)} ${line.text}\n` : `${line.text}\n`;
  }
  return text;
}

export const stampOf = (at: Instant): string => `${new Date(at).toISOString().slice(0, 23)}000000Z`;

/** Limits count bytes; a character is not cut in two. */
function cut(text: string, most: number): { text: string; size: number } {
  const size = Buffer.byteLength(text);
  if (size <= most) return { text, size };
  const kept = new TextDecoder().decode(Buffer.from(text).subarray(0, most), { stream: true });
  return { text: kept, size: most };
}
