import { setFlagsFromString } from "node:v8";
import { userRolesOf } from "@trivium/reconcile";
import type { Log } from "@trivium/runtime";
import { Refusal } from "@trivium/std";
import { type Composition, type OperatorParts, startOperator } from "./compose.ts";
import { openLog } from "./log.ts";
import { type OperatorOptions, parseOptions } from "./options/options.ts";
import { emitRbac, formatRbac } from "./rbac.ts";
import { formatWebhooks } from "./webhooks/webhooks.ts";

/** How long a stop may take before it is given up. A cluster kills after thirty seconds. */
const stopTime = 25_000;

/** The whole life of an operator process; resolves with its exit code. */
export async function runOperator(compose: Composition, args: readonly string[]): Promise<number> {
  try {
    const request = parseOptions(args);
    if (request.is === "read") return print(request.text);
    const parts = compose(request.options);
    if (request.options.printRbac)
      return print(formatRbac([...emitRbac(request.options, parts), ...parts.dialects.flatMap(userRolesOf)]));
    if (request.options.printWebhooks) return print(await formatWebhooks(request.options, parts.dialects));
    return await live(request.options, parts);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    process.stderr.write(`error: ${error.message.replaceAll("\n", " ")}\n`);
    return 1;
  }
}

async function live(options: OperatorOptions, parts: OperatorParts): Promise<number> {
  const log = openLog(options.logLevel, (line) => process.stdout.write(line));
  const asked = stopSignal();
  const stop = new AbortController();
  const starting = startOperator(options, parts, { env: process.env, log, signal: stop.signal });
  const operator = await Promise.race([starting, asked]);
  if (typeof operator === "string") {
    // Passes begin before the start has ended, so there can be a Lease to give back.
    stop.abort();
    const stopped = starting.then(
      (late) => late.stop(),
      () => {},
    );
    return (await endsInTime(stopped, log)) ? 0 : 1;
  }
  keepHeapSmall();
  const signal = await asked;
  log.info({ signal }, "stopping");
  return (await endsInTime(operator.stop(), log)) ? 0 : 1;
}

/**
 * As flags of the process they would keep Node from using the code that it has compiled of itself, which is a tenth of the start. A heap grows
 * by a tenth of what is in use, or 8 MB, before it is collected: otherwise it is by a third, which thousands of services pay for.
 */
function keepHeapSmall(): void {
  setFlagsFromString("--optimize-for-size");
  setFlagsFromString("--heap-growing-percent=10");
}

async function endsInTime(stopped: Promise<void>, log: Log): Promise<boolean> {
  const late = Promise.withResolvers<false>();
  const timer = setTimeout(() => late.resolve(false), stopTime);
  const isStopped = await Promise.race([stopped.then(() => true as const), late.promise]);
  clearTimeout(timer);
  if (isStopped) log.info({}, "stopped");
  else log.error({}, "work in progress did not finish in time and was aborted; the Lease expires automatically");
  return isStopped;
}

function print(text: string): number {
  process.stdout.write(text);
  return 0;
}

/** Resolves at the first Ctrl-C or terminate; further ones change nothing, since a terminal and a parent may both send it. */
function stopSignal(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => resolve(signal));
  });
}
