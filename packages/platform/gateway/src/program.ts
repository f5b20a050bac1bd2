import {
  createClient,
  createMetricsAccess,
  findAccess,
  httpTransport,
  loadKubeconfig,
  scopedClient,
} from "@trivium/client";
import { ApiError } from "@trivium/kube";
import type { Log } from "@trivium/runtime";
import { isLoopback, Refusal } from "@trivium/std";
import { pino } from "pino";
import { formatAccess } from "./access-log.ts";
import { startGateway } from "./gateway.ts";
import type { Exchange } from "./http/exchange.ts";
import { help, type ProgramOptions, parseOptions } from "./options.ts";
import { startUnless } from "./start-unless.ts";
import { type Serving, startWorkers } from "./workers/run-lead.ts";
import { placeOf, runWorker } from "./workers/run-worker.ts";

export interface ProgramParts {
  readonly signal: AbortSignal;
  readonly out: { write(text: string): unknown };
  readonly err: { write(text: string): unknown };
}

/** Streams under way have so long to end when the program is told to. */
const grace = 10_000;

/** Runs the gateway until told to stop; the number is the exit status. */
export async function runProgram(args: readonly string[], parts: ProgramParts): Promise<number> {
  try {
    const options = parseOptions(args);
    if (options === undefined) {
      parts.out.write(help);
      return 0;
    }
    await run(options, parts);
    return 0;
  } catch (error) {
    // The lead says what is wrong, once for all workers.
    if (placeOf(process.env) !== undefined) return 1;
    parts.err.write(`trivium-gateway: ${error instanceof Error ? error.message : String(error)}\n`);
    if (!(error instanceof Refusal) && error instanceof Error) parts.err.write(`${error.stack}\n`);
    return 1;
  }
}

async function run(options: ProgramOptions, { signal, out, err }: ProgramParts): Promise<void> {
  const { kubeconfig, context, accessLog } = options;
  const chosen = {
    ...(kubeconfig === undefined ? {} : { path: kubeconfig }),
    ...(context === undefined ? {} : { context }),
  };
  const access = kubeconfig === undefined && context === undefined ? await findAccess() : await loadKubeconfig(chosen);
  const transport = httpTransport({ ...access, userAgent: "trivium-gateway" });
  const client = scopedClient(createClient(transport), options.namespace);
  const parts = {
    client,
    metricsReaders: options.metricsAccess === "anyone" ? undefined : createMetricsAccess(client, Date.now),
    log: openLog((line) => err.write(line)),
    onAccess:
      accessLog === "off" ? undefined : (exchange: Exchange) => out.write(`${formatAccess(exchange, new Date())}\n`),
  };
  const place = placeOf(process.env);
  if (place !== undefined) {
    await runWorker(options, place, { ...parts, signal, grace });
    return transport.close();
  }
  const warning = warningOf(options);
  if (warning !== undefined) err.write(`${warning}\n`);
  const stopped = new Promise<void>((resolve) =>
    signal.aborted ? resolve() : signal.addEventListener("abort", () => resolve()),
  );
  const gateway = await startUnless<Serving>(
    stopped,
    options.workers > 1 ? startWorkers(options, parts) : startGateway({ ...options, ...parts }),
  );
  if (gateway === undefined) return transport.close();
  out.write(`ready: ${gateway.url}${gateway.adminUrl === undefined ? "" : ` metrics: ${gateway.adminUrl}/metrics`}\n`);
  await stopped;
  await gateway.close(grace);
  await transport.close();
}

/** Whoever reaches the address can use every model: that must be meant. */
export function warningOf({
  host,
  apiKeys,
  keys,
}: Pick<ProgramOptions, "host" | "apiKeys" | "keys">): string | undefined {
  if (isLoopback(host) || apiKeys !== undefined || keys.length > 0) return undefined;
  return (
    `warning: the gateway listens on ${host} and requires no API key: anyone who can reach it can use all models; ` +
    "set TRIVIUM_API_KEY, --api-key-file or --api-keys, or listen on 127.0.0.1"
  );
}

/** Of an error its words are kept and not what hangs on it: requests with their tokens, or answers with the content of objects. */
function openLog(write: (line: string) => void): Log {
  const err = (error: unknown) =>
    error instanceof ApiError ? { message: error.message, code: error.code } : { message: String(error) };
  return pino(
    { base: { pid: process.pid }, timestamp: pino.stdTimeFunctions.isoTime, serializers: { err } },
    { write },
  );
}
