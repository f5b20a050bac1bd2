import type { Random, RequestRecord, Scenario } from "@trivium/engines";
import { draftRequest, sendRequest, type Target } from "./send-request.ts";

/** One scenario at one concurrency. */
export interface Level {
  readonly scenario: Scenario;
  readonly concurrency: number;
  readonly maxTimeMs: number;
  readonly maxRequests: number;
}

export interface LevelOutcome {
  readonly records: readonly RequestRecord[];
  readonly durationMs: number;
  /** Nothing was answered, or nothing but failures came for so long that more of them would tell nothing. */
  readonly isHopeless: boolean;
}

/** Keeps so many requests in flight until time or requests are used up. Requests that the end cuts off count only when nothing else does. */
export async function runLevel(
  target: Target,
  level: Level,
  context: { random: Random; signal: AbortSignal },
): Promise<LevelOutcome> {
  const { scenario, concurrency, maxTimeMs, maxRequests } = level;
  const { random, signal } = context;
  const patience = Math.max(20, 2 * concurrency);
  const began = target.clock();
  const over = AbortSignal.timeout(maxTimeMs);
  const stop = new AbortController();
  const end = AbortSignal.any([signal, over, stop.signal]);
  const records: RequestRecord[] = [];
  const cutOff: RequestRecord[] = [];
  const state = { sent: 0, failuresInARow: 0 };
  const since = <R extends RequestRecord>(record: R): R => ({
    ...record,
    startedAt: record.startedAt - began,
    endedAt: record.endedAt - began,
    ...(record.is === "answered" ? { firstAt: record.firstAt - began } : {}),
  });
  const work = async (): Promise<void> => {
    while (!end.aborted && state.sent < maxRequests) {
      state.sent += 1;
      const record = since(await sendRequest(target, draftRequest(target, scenario, random), end));
      if (record.is === "failed" && end.aborted) {
        cutOff.push({ ...record, kind: "timeout", message: "no complete response before the end of the run" });
        return;
      }
      records.push(record);
      state.failuresInARow = record.is === "failed" ? state.failuresInARow + 1 : 0;
      if (state.failuresInARow >= patience) stop.abort();
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, maxRequests) }, work));
  const durationMs = target.clock() - began;
  const isHopeless = stop.signal.aborted || records.every(({ is }) => is === "failed");
  return { records: records.length > 0 ? records : cutOff, durationMs, isHopeless };
}
