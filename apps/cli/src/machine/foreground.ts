import { type UpOptions, up } from "@trivium/local";
import { inspectForDashboard } from "../dashboard/inspect.ts";
import { print } from "../print.ts";

/** Runs the control plane in this process until it is asked to stop. */
export const upInForeground = (options: UpOptions): Promise<void> =>
  up({ ...options, inspect: inspectForDashboard }, stopSignal(), (line) => print(`${line}\n`));

/**
 * Aborts at the first Ctrl-C or terminate; further ones change nothing, since a terminal and a parent may both send it. A terminal that was
 * closed and a reader that left stop it as well: elsewhere they end the program at once, and here pods would be left running.
 */
function stopSignal(): AbortSignal {
  const stop = new AbortController();
  const abort = (): void => stop.abort();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, abort);
  for (const stream of [process.stdout, process.stderr]) stream.removeAllListeners("error").on("error", abort);
  return stop.signal;
}
