import { join } from "node:path";
import { parseArgs } from "node:util";
import { ensureBuilt } from "../scripts/toolchain.mjs";
import { eventLatencies } from "./gateway/events.ts";
import { type Running, startGateway, startNginx, startNode } from "./gateway/processes.ts";
import { chatRequest, load, percentile } from "./gateway/raw-client.ts";
import { memoryOf, processorTimeOfAll } from "./support/measured-server.ts";
import { megabytes, printTable, thousands } from "./support/table.ts";

/**
 * What the gateway costs: the same requests to a model server directly, through nginx and through the gateway as shipped (the bundle,
 * default flags, an API server of another process), in turns in one run, with client, server and proxy beside each other.
 * `--beside FILE` measures another bundle in the same turns, `--workers=2,4` further gateways of so many processes, `--profile DIR` leaves a CPU
 * profile, `--long` looks at memory for ten minutes instead of some seconds.
 */
interface Figures {
  readonly median: number;
  readonly perSecond: number;
  /** Processor time of the measured process for one request, in milliseconds. */
  readonly processor: number;
  readonly event: number;
  readonly eventLate: number;
}

const turns = 5;
const rounds = { warm: 20_000, single: 2_000, many: 12_000 };
const { values: options } = parseArgs({
  options: {
    beside: { type: "string" },
    workers: { type: "string" },
    profile: { type: "string" },
    long: { type: "boolean", default: false },
  },
});
const bundle = join(ensureBuilt(), "..", "gateway.mjs");

const model = await startNode("model-process.ts");
const direct = { ...model, port: Number(model.line) };
const cluster = await startNode("cluster-process.ts", model.line);
const profiling = options.profile === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${options.profile}`];
const gateway = await startGateway(bundle, cluster.line, profiling);
const beside = options.beside === undefined ? undefined : await startGateway(options.beside, cluster.line, []);
const crews = new Map<string, Running>();
for (const count of options.workers?.split(",") ?? [])
  crews.set(`${count} workers`, await startGateway(bundle, cluster.line, [], count));
const nginx = await startNginx(direct.port);
try {
  const measured: [string, Running][] = [["direct", direct]];
  if (typeof nginx !== "string") measured.push(["nginx", nginx]);
  if (beside !== undefined) measured.push(["other bundle", beside]);
  measured.push(["gateway", gateway], ...crews);
  printComparison(await measureInTurns(measured));
  if (typeof nginx === "string") console.log(`nginx ${nginx}`);
  await watchMemory(gateway);
} finally {
  const all = [gateway, ...crews.values(), beside, cluster, model, typeof nginx === "string" ? undefined : nginx];
  await Promise.all(all.map((running) => running?.stop()));
}

/** In turns, so that other work on the machine slows all of them alike; the best turn of each counts. */
async function measureInTurns(measured: readonly [string, Running][]): Promise<Map<string, Figures>> {
  for (const [, { port }] of measured) {
    await load({ host: "127.0.0.1", port }, chatRequest("whole"), { count: rounds.warm, connections: 8 });
  }
  const taken = new Map<string, Figures[]>(measured.map(([name]) => [name, []]));
  for (let turn = 0; turn < turns; turn += 1) {
    for (const [name, running] of measured) taken.get(name)?.push(await measure(running));
  }
  return new Map([...taken].map(([name, figures]) => [name, bestOf(figures)]));
}

async function measure({ port, pid }: Running): Promise<Figures> {
  const address = { host: "127.0.0.1", port };
  const request = chatRequest("whole");
  const single = await load(address, request, { count: rounds.single, connections: 1 });
  const before = processorTimeOfAll(pid);
  const many = await load(address, request, { count: rounds.many, connections: 32 });
  const processor = (processorTimeOfAll(pid) - before) / rounds.many;
  const events = await eventLatencies(address, chatRequest("stream"), 20);
  return {
    median: percentile(single.latencies, 0.5),
    perSecond: many.perSecond,
    processor,
    event: percentile(events, 0.5),
    eventLate: percentile(events, 0.99),
  };
}

function bestOf(figures: readonly Figures[]): Figures {
  const least = (key: keyof Figures): number => Math.min(...figures.map((figure) => figure[key]));
  return {
    median: least("median"),
    perSecond: Math.max(...figures.map(({ perSecond }) => perSecond)),
    processor: least("processor"),
    event: least("event"),
    eventLate: least("eventLate"),
  };
}

function printComparison(figures: ReadonlyMap<string, Figures>): void {
  const all = [...figures.values()];
  const base = figures.get("direct")?.median ?? 0;
  const row = (title: string, show: (figure: Figures) => string, aim = ""): string[] => [title, ...all.map(show), aim];
  printTable([
    ["", ...figures.keys(), "aim"],
    row("median, 1 connection", ({ median }) => time(median)),
    row("… added", ({ median }) => time(median - base), "at most 0.15 ms"),
    row("requests, 32 connections", ({ perSecond }) => `${thousands(perSecond)}/s`, "at least 10,000/s"),
    row("processor time of a request", ({ processor }) => time(processor)),
    row("event of a stream, median of 20 streams", ({ event }) => time(event)),
    row("… 99 of 100", ({ eventLate }) => time(eventLate)),
  ]);
}

async function watchMemory({ port, pid }: Running): Promise<void> {
  const request = chatRequest("whole");
  const end = performance.now() + (options.long ? 600_000 : 15_000);
  const step = options.long ? 200_000 : 20_000;
  const rows = [["requests so far", "memory of the gateway"]];
  for (let count = step; performance.now() < end; count += step) {
    await load({ host: "127.0.0.1", port }, request, { count: step, connections: 32 });
    rows.push([thousands(count), megabytes(memoryOf(pid))]);
  }
  printTable(rows);
}

function time(milliseconds: number): string {
  return `${milliseconds.toFixed(3)} ms`;
}
