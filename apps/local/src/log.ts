import { join } from "node:path";
import { destination, type Logger, pino } from "pino";
import type { Home } from "./home.ts";

/** Where faults of ours go: a file in the home, one JSON object a line. What a person did wrong is answered, not logged. */
export interface Log {
  fault(message: string, error?: unknown): void;
  readonly path: string;
  close(): void;
}

export function openLog(home: Home): Log {
  const path = join(home.path, "trivium.log");
  const file = destination({ dest: path, append: true, mode: 0o600, sync: true });
  // A disk that is full must not end the server for want of a line about it.
  file.on("error", () => undefined);
  const logger: Logger = pino({ base: { pid: process.pid }, timestamp: pino.stdTimeFunctions.isoTime }, file);
  return { path, fault: (message, error) => logger.error({ err: error }, message), close: () => file.end() };
}
