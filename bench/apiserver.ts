import { makeNamespace, type Pace, parallel } from "./support/calls.ts";
import { lists } from "./support/lists.ts";
import { connect, idleMemory } from "./support/measured-server.ts";
import { megabytes, printTable, seconds, thousands } from "./support/table.ts";
import { type Running, startTrivium } from "./support/trivium-process.ts";
import { watches } from "./support/watches.ts";
import { creates } from "./support/writes.ts";

/**
 * Speed and memory of what `npm start` runs, over TLS, with every kind of the three dialects. The program is a process of its
 * own, started from the bundle that is shipped; this one is its clients. `--profile DIR` leaves a CPU profile of it there.
 */
const stored = 10_000;
const load = { watchers: 100, events: 5_000 };

await measure();

async function measure(): Promise<void> {
  const profile = process.argv.indexOf("--profile");
  const flags = profile === -1 ? [] : ["--cpu-prof", `--cpu-prof-dir=${process.argv[profile + 1]}`];
  const first = await startTrivium({ flags: [] });
  const firstMemory = await idleMemory(first);
  await first.stop();
  const running = await startTrivium({ flags, home: first.home });
  try {
    printTable([
      ["first start to ready, all CRDs written", seconds(first.startedIn), "at most 1.5 s"],
      ["idle memory after the first start", megabytes(firstMemory), "at most 160 MB"],
      ["later start to ready", seconds(running.startedIn), "at most 1.5 s"],
      ["idle memory after a later start", megabytes(await idleMemory(running)), "at most 160 MB"],
      ...(await rowsUnderLoad(running)),
    ]);
  } finally {
    await running.stop();
    running.removeHome();
  }
}

async function rowsUnderLoad(running: Running): Promise<string[][]> {
  const pool = connect(running, parallel);
  await makeNamespace(pool);
  const created = await creates(pool, stored);
  const memory = await idleMemory(running);
  const list = await lists(pool, stored);
  const { written, delivered } = await watches(pool, running, load);
  await pool.close();
  const rate = thousands((load.watchers * load.events) / (delivered / 1000));
  const count = thousands(stored);
  return [
    ["durable creates of 2 KB, 16 clients", describe(created), "at least 2,000/s"],
    [`memory with ${count} AIMServices`, megabytes(memory), "at most 350 MB"],
    [`list of ${count}`, `${seconds(list.milliseconds)} (${megabytes(list.bytes)})`, "at most 0.5 s"],
    [
      `${load.watchers} watchers, ${thousands(load.events)} events`,
      `none lost; written in ${seconds(written)}, all delivered in ${seconds(delivered)} (${rate} events/s)`,
      "none lost",
    ],
  ];
}

function describe({ perSecond, percentile }: Pace): string {
  const within = (share: number): string => `${percentile(share).toFixed(1)} ms`;
  return `${thousands(perSecond)}/s, p50 ${within(0.5)}, p99 ${within(0.99)}`;
}
