import { mkdir } from "node:fs/promises";
import {
  createClient,
  createMetricsAccess,
  findAccess,
  httpTransport,
  loadKubeconfig,
  scopedClient,
} from "@trivium/client";
import { modelStoreOf, omeDefaults } from "@trivium/ome";
import { Refusal } from "@trivium/std";
import { pino } from "pino";
import { holdModels } from "../node/model-agent.ts";
import { addressRuleOf } from "./address-rule.ts";
import { serveHealth } from "./health.ts";
import { AgentMetrics } from "./metrics.ts";
import { type NodeAgentOptions, parseOptions } from "./options.ts";
import { Thrift } from "./thrift.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** How long a stop may take before it is given up. A cluster kills after thirty seconds. */
const stopTime = 25_000;

/** The whole life of the agent of a node; resolves with its exit code. */
export async function runNodeAgent(args: readonly string[], env: Env): Promise<number> {
  try {
    const request = parseOptions(args, env);
    if (request.is === "run") return await live(request.options, env);
    process.stdout.write(request.text);
    return 0;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    process.stderr.write(`error: ${error.message.replaceAll("\n", " ")}\n`);
    return 1;
  }
}

async function live(options: NodeAgentOptions, env: Env): Promise<number> {
  const asked = stopSignal();
  const log = openLog(options.logLevel);
  const agent = await startNodeAgent(options, { env, log });
  const signal = await asked;
  log.info({ signal }, "stopping");
  const late = Promise.withResolvers<"late">();
  const timer = setTimeout(() => late.resolve("late"), stopTime);
  const how = await Promise.race([agent.stop(), late.promise]);
  clearTimeout(timer);
  if (how === "late")
    log.error({}, "work in progress did not finish in time and was aborted; it resumes at the next start");
  else log.info({}, "stopped");
  return how === "late" ? 1 : 0;
}

type AgentLog = ReturnType<typeof openLog>;

/** Needs no leader: each node has its own agent, and an agent writes of its own node alone. */
async function startNodeAgent(
  options: NodeAgentOptions,
  { env, log }: { readonly env: Env; readonly log: AgentLog },
): Promise<{ stop(): Promise<void> }> {
  await using parts = new AsyncDisposableStack();
  const { nodeName, namespace, modelsRoot, store, allowRoot, allowedRemoteHosts, diskLimit, downloads } = options;
  const access = await accessFrom(options, env);
  await makeFolders(modelsRoot, store);
  const transport = httpTransport({ ...access, userAgent: "trivium-node-agent" });
  parts.defer(() => transport.close());
  const thrift = new Thrift();
  parts.defer(() => thrift.stop());
  const ome = { ...omeDefaults, namespace, modelsRoot };
  const metrics = new AgentMetrics(modelStoreOf(ome).subjectOf);
  const client = scopedClient(createClient(transport), options.watchNamespace);
  const agent = holdModels({
    client,
    node: nodeName,
    options: ome,
    folders: {
      roots: [{ path: modelsRoot }],
      shared: [],
      readable: allowRoot.map((path) => ({ path })),
      readableBy: "--allow-root of the node agent",
      remedyOf: (folder) =>
        `run the node agent with --models-root ${folder} and mount that folder, or change storage.path`,
    },
    store,
    diskLimit,
    addresses: addressRuleOf(allowedRemoteHosts, env),
    lanes: downloads,
    onEvent: (event) => {
      metrics.count(event);
      if (event.is === "evicted")
        log.info(
          { model: event.key, evicted: event.sources, bytes: event.bytes },
          "deleted unused models to make space",
        );
      thrift.worked();
    },
    onError: (what, error) => log.warn({ problem: sentenceOf(error) }, what),
  });
  parts.defer(() => agent.stop());
  const { healthHost: host, healthPort: port } = options;
  const health = await serveHealth({
    host,
    port,
    registry: metrics.registry,
    root: modelsRoot,
    findObstacle: () => agent.findObstacle(),
    access: options.metricsAccess === "anyone" ? undefined : createMetricsAccess(client, Date.now),
  });
  parts.defer(() => health.close());
  log.info({ node: nodeName, server: access.server, modelsRoot, health: health.url }, "running");
  const running = parts.move();
  return { stop: () => running.disposeAsync() };
}

async function accessFrom({ kubeconfig, context }: NodeAgentOptions, env: Env) {
  try {
    if (kubeconfig === undefined && context === undefined) return await findAccess(env);
    return await loadKubeconfig({ path: kubeconfig, context, env });
  } catch (error) {
    throw new Refusal(`${sentenceOf(error)} (--kubeconfig, --context)`);
  }
}

async function makeFolders(...folders: readonly string[]): Promise<void> {
  for (const folder of folders)
    await mkdir(folder, { recursive: true }).catch((error: unknown) => {
      throw new Refusal(
        `cannot create ${folder}: ${sentenceOf(error)}; choose another folder with --models-root or --store`,
      );
    });
}

/** Of an error its words, and not what hangs on it. */
const sentenceOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

function openLog(level: NodeAgentOptions["logLevel"]) {
  const formatters = { level: (label: string) => ({ level: label }) };
  return pino(
    { level, base: { pid: process.pid }, timestamp: pino.stdTimeFunctions.isoTime, formatters },
    { write: (line: string) => process.stdout.write(line) },
  );
}

/** Resolves at the first Ctrl-C or terminate; further ones change nothing, since a terminal and a parent may both send it. */
function stopSignal(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => resolve(signal));
  });
}
