import { ensureBinaries, NoCluster } from "../tools/cluster/build.ts";
import { makeNamespace, parallel } from "./support/calls.ts";
import { allDefinitions } from "./support/definitions.ts";
import { lists } from "./support/lists.ts";
import { connect, idleMemory, type MeasuredServer } from "./support/measured-server.ts";
import { newClusterPlace, startRealCluster } from "./support/real-cluster.ts";
import { megabytes, printTable, seconds, thousands } from "./support/table.ts";
import { startTrivium } from "./support/trivium-process.ts";
import { watches } from "./support/watches.ts";
import { applies, creates } from "./support/writes.ts";

/**
 * The embedded API server against kube-apiserver with etcd: the same calls by the same clients, one server after the other, both with
 * a sync to the disk before each answer and with the same CRDs. `--profile DIR` leaves a CPU profile of the embedded one there.
 */
const stored = 10_000;
const applied = 4_000;
const load = { watchers: 100, events: 2_000 };
const limit = 180_000;

interface Figures {
  readonly started: number;
  readonly memory: number;
  readonly creates: number;
  readonly applies: number;
  readonly list: number;
  readonly delivered: number;
  readonly memoryAfter: number;
}

/** How a figure is shown and what we aim at; a ratio says how many times better the embedded server is. */
interface Row {
  readonly name: string;
  readonly figure: keyof Figures;
  readonly better: "higher" | "lower";
  show(value: number): string;
  readonly aim?: number;
}

const perSecond = (value: number): string => `${thousands(value)}/s`;
const rows: readonly Row[] = [
  { name: "start to ready, all CRDs established", figure: "started", better: "lower", show: seconds, aim: 5 },
  { name: "memory with all CRDs", figure: "memory", better: "lower", show: megabytes, aim: 3 },
  { name: "creates of 2 KB, 16 clients", figure: "creates", better: "higher", show: perSecond, aim: 2 },
  { name: "server-side applies of 2 KB, 16 clients", figure: "applies", better: "higher", show: perSecond, aim: 2 },
  { name: `list of ${thousands(stored)}`, figure: "list", better: "lower", show: seconds },
  {
    name: `${load.watchers} watchers × ${thousands(load.events)} events, none lost`,
    figure: "delivered",
    better: "lower",
    show: seconds,
  },
  { name: "memory after all this", figure: "memoryAfter", better: "lower", show: megabytes },
];

const started: (() => Promise<void>)[] = [];
let isStopping = false;
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => void giveUp(signal));
const alarm = setTimeout(() => void giveUp(`not done after ${limit / 1000} s`), limit);

try {
  const real = await measureReal();
  const embedded = await measureEmbedded();
  print(embedded, real);
} catch (error) {
  // Servers that are stopped in the middle break the calls under way; whoever stops them says why and ends us.
  if (isStopping) await new Promise(() => {});
  if (!(error instanceof NoCluster)) throw error;
  console.log(`no comparison with a real server: ${error.message}`);
} finally {
  clearTimeout(alarm);
  if (!isStopping) await stopAll();
}

async function measureEmbedded(): Promise<Figures> {
  const profile = process.argv.indexOf("--profile");
  const flags = profile === -1 ? [] : ["--cpu-prof", `--cpu-prof-dir=${process.argv[profile + 1]}`];
  const running = await startTrivium({ flags });
  started.push(async () => {
    await running.stop();
    running.removeHome();
  });
  return measure("embedded", running, running.startedIn);
}

async function measureReal(): Promise<Figures> {
  const place = newClusterPlace();
  started.push(() => place.clear());
  ensureBinaries(console.error);
  const cluster = await startRealCluster(place, await allDefinitions());
  const figures = await measure("real", cluster, cluster.startedIn);
  // Ended now, so that it takes nothing from the one that is measured next.
  await stopAll();
  return figures;
}

async function measure(name: string, server: MeasuredServer, startedIn: number): Promise<Figures> {
  const pool = connect(server, parallel);
  await makeNamespace(pool);
  const figures: Figures = {
    started: startedIn,
    memory: await step(name, "idle", () => idleMemory(server)),
    creates: (await step(name, "creates", () => creates(pool, stored))).perSecond,
    list: (await step(name, "lists", () => lists(pool, stored))).milliseconds,
    applies: (await step(name, "applies", () => applies(pool, applied))).perSecond,
    delivered: (await step(name, "watches", () => watches(pool, server, load))).delivered,
    memoryAfter: await idleMemory(server),
  };
  await pool.close();
  return figures;
}

/** Says what is going on while it goes on: the whole takes minutes. */
async function step<T>(server: string, name: string, work: () => Promise<T>): Promise<T> {
  const began = performance.now();
  const result = await work();
  console.error(`${server}: ${name} took ${seconds(performance.now() - began)}`);
  return result;
}

function print(embedded: Figures, real: Figures): void {
  const head = ["", "embedded", "kube-apiserver + etcd", "ratio", "aim"];
  const cells = rows.map(({ name, figure, better, show, aim }) => {
    const [ours, theirs] = [embedded[figure], real[figure]];
    const ratio = better === "higher" ? ours / theirs : theirs / ours;
    return [name, show(ours), show(theirs), `${ratio.toFixed(1)}×`, aim === undefined ? "" : `${aim}×`];
  });
  printTable([head, ...cells]);
}

/** Newest first, each once. */
async function stopAll(): Promise<void> {
  for (let stop = started.pop(); stop !== undefined; stop = started.pop()) await stop();
}

async function giveUp(why: string): Promise<void> {
  if (isStopping) return;
  isStopping = true;
  console.error(`stopped: ${why}`);
  await stopAll();
  process.exit(1);
}
