import { eventLatencies } from "./gateway/events.ts";
import { memoryOf, type Running, startNginx, startNode } from "./gateway/processes.ts";
import { chatRequest, load, percentile } from "./gateway/raw-client.ts";
import { megabytes, printTable, thousands } from "./support/table.ts";

/**
 * What the gateway costs: the same requests to a model server directly, through nginx and through the gateway, in one run on one
 * machine, with client, server and proxy beside each other. `--long` looks at memory for ten minutes instead of some seconds.
 */
interface Figures {
  readonly median: number;
  readonly perSecond: number;
  readonly event: number;
  readonly eventLate: number;
}

const rounds = { warm: 3_000, single: 3_000, many: 30_000 };
const isLong = process.argv.includes("--long");

const model = await startNode("model-process.ts");
const gateway = await startNode("gateway-process.ts", String(model.port));
const nginx = await startNginx(model.port);
try {
  const direct = await measure(model);
  const proxied = typeof nginx === "string" ? undefined : await measure(nginx);
  const ours = await measure(gateway);
  printTable([
    ["", "direct", "nginx", "gateway", "aim"],
    ["median, 1 connection", time(direct.median), time(proxied?.median), time(ours.median), ""],
    [
      "… added",
      "",
      time(proxied && proxied.median - direct.median),
      time(ours.median - direct.median),
      "at most 0.4 ms",
    ],
    ["requests, 32 connections", rate(direct), rate(proxied), rate(ours), "at least 5,000/s"],
    ["event of a stream, median of 20 streams", time(direct.event), time(proxied?.event), time(ours.event), ""],
    ["… 99 of 100", time(direct.eventLate), time(proxied?.eventLate), time(ours.eventLate), ""],
  ]);
  if (typeof nginx === "string") console.log(`nginx ${nginx}`);
  await watchMemory(gateway);
} finally {
  await Promise.all([gateway.stop(), model.stop(), ...(typeof nginx === "string" ? [] : [nginx.stop()])]);
}

async function measure({ port }: Running): Promise<Figures> {
  const address = { host: "127.0.0.1", port };
  const request = chatRequest("whole");
  await load(address, request, { count: rounds.warm, connections: 8 });
  const single = await load(address, request, { count: rounds.single, connections: 1 });
  const many = await load(address, request, { count: rounds.many, connections: 32 });
  const events = await eventLatencies(address, chatRequest("stream"), 20);
  return {
    median: percentile(single.latencies, 0.5),
    perSecond: many.perSecond,
    event: percentile(events, 0.5),
    eventLate: percentile(events, 0.99),
  };
}

async function watchMemory({ port, pid }: Running): Promise<void> {
  const request = chatRequest("whole");
  const end = performance.now() + (isLong ? 600_000 : 15_000);
  const step = isLong ? 200_000 : 20_000;
  const rows = [["requests so far", "memory of the gateway"]];
  for (let count = step; performance.now() < end; count += step) {
    await load({ host: "127.0.0.1", port }, request, { count: step, connections: 32 });
    rows.push([thousands(count), megabytes(memoryOf(pid))]);
  }
  printTable(rows);
}

function time(milliseconds: number | undefined): string {
  return milliseconds === undefined ? "–" : `${milliseconds.toFixed(3)} ms`;
}

function rate(figures: Figures | undefined): string {
  return figures === undefined ? "–" : `${thousands(figures.perSecond)}/s`;
}
