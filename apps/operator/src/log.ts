import { ApiError } from "@trivium/kube";
import type { Log } from "@trivium/runtime";
import { pino } from "pino";
import type { OperatorOptions } from "./options/options.ts";

/** Where lines go; one JSON object each. */
export type LineSink = (line: string) => void;

/**
 * Logs as JSON. Of an error its words are kept and not what hangs on it: requests with their tokens, or answers with the
 * content of objects.
 */
export function openLog(level: OperatorOptions["logLevel"], write: LineSink): Log {
  const options = {
    level,
    base: { pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { err: describeError },
  };
  return pino(options, { write });
}

interface ErrorMessage {
  readonly name: string;
  readonly message: string;
  readonly code?: number;
  readonly reason?: string;
  readonly stack?: string;
  readonly cause?: ErrorMessage;
}

export function describeError(error: unknown): ErrorMessage | string {
  if (!(error instanceof Error)) return String(error);
  const { name, message } = error;
  if (error instanceof ApiError) {
    return { name, message, code: error.code, ...(error.reason === undefined ? {} : { reason: error.reason }) };
  }
  const cause = error.cause === undefined ? undefined : describeError(error.cause);
  return {
    name,
    message,
    // Where it happened is for faults of ours.
    ...(error.stack === undefined ? {} : { stack: error.stack }),
    ...(typeof cause === "object" ? { cause } : {}),
  };
}
