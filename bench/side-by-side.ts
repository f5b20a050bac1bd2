import type { Pool } from "undici";
import { ensureBinaries, NoCluster } from "../tools/cluster/build.ts";
import { makeNamespace, parallel } from "./support/calls.ts";
import { allDefinitions } from "./support/definitions.ts";
import { type Figures, printComparison } from "./support/figures.ts";
import { lists } from "./support/lists.ts";
import { connect, idleMemory, type MeasuredServer } from "./support/measured-server.ts";
import { newClusterPlace, startRealCluster } from "./support/real-cluster.ts";
import { startTrivium } from "./support/trivium-process.ts";
import { EventsLost, watches } from "./support/watches.ts";
import { applies, creates } from "./support/writes.ts";

/**
 * The embedded API server against kube-apiserver with etcd: the same calls by the same clients, one server after the other, both with
 * a sync to the disk before each answer and with the same CRDs. `--profile DIR` leaves a CPU profile of the embedded one there.
 */
const created = 4_000;
const applied = 2_000;
const load = { watchers: 100, events: 2_000 };
/** What is listed: what was created and what was applied, and more up to here. */
const stored = 10_000;
const limit = 170_000;

const embedded: Figures = {};
const real: Figures = {};
const started: (() => Promise<void>)[] = [];
let isStopping = false;

try {
  // Building takes a quarter of an hour, once, and is no part of what is measured.
  ensureBinaries(console.error);
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => void giveUp(signal));
  const alarm = setTimeout(() => void giveUp(`not done after ${limit / 1000} s`), limit);
  await measureEmbedded();
  await measureReal();
  clearTimeout(alarm);
  printComparison(embedded, real);
} catch (error) {
  // Servers that are stopped in the middle break the calls under way; whoever stops them says why and ends us.
  if (isStopping) await new Promise(() => {});
  if (!(error instanceof NoCluster)) throw error;
  console.log(`no comparison with a real server: ${error.message}`);
} finally {
  await stopAll();
}

async function measureEmbedded(): Promise<void> {
  const profile = process.argv.indexOf("--profile");
  const flags = profile === -1 ? [] : ["--cpu-prof", `--cpu-prof-dir=${process.argv[profile + 1]}`];
  const running = await startTrivium({ flags });
  started.push(async () => {
    await running.stop();
    running.removeHome();
  });
  embedded.started = running.startedIn;
  await measure(running, embedded);
  // Ended now, so that it takes nothing from the one that is measured next.
  await stopAll();
}

async function measureReal(): Promise<void> {
  const place = newClusterPlace();
  started.push(() => place.clear());
  const cluster = await startRealCluster(place, await allDefinitions());
  real.started = cluster.startedIn;
  await measure(cluster, real);
}

/** Fills in the figures one by one, so that those are known which were had when time was up. */
async function measure(server: MeasuredServer, figures: Figures): Promise<void> {
  figures.startProcessor = server.processorTime();
  figures.memory = await idleMemory(server);
  const pool = connect(server, parallel);
  await makeNamespace(pool);
  const writing = await timed(server, () => creates(pool, created));
  figures.creates = writing.result.perSecond;
  figures.createProcessor = writing.processor / created;
  const applying = await timed(server, () => applies(pool, applied));
  figures.applies = applying.result.perSecond;
  figures.applyProcessor = applying.processor / applied;
  await measureWatches(pool, server, figures);
  const listed = created + applied / 2;
  await creates(pool, stored - listed, created);
  figures.list = (await lists(pool, stored)).milliseconds;
  await pool.close();
  figures.memoryAfter = await idleMemory(server);
}

/** Events lost by ours are a failure; a real server may end watches that fall behind, which is told and leaves a dash. */
async function measureWatches(pool: Pool, server: MeasuredServer, figures: Figures): Promise<void> {
  try {
    figures.delivered = (await watches(pool, server, load)).delivered;
  } catch (error) {
    if (!(error instanceof EventsLost) || figures === embedded) throw error;
    console.error(`the real server: ${error.message}`);
  }
}

async function timed<T>(server: MeasuredServer, work: () => Promise<T>): Promise<{ result: T; processor: number }> {
  const before = server.processorTime();
  const result = await work();
  return { result, processor: server.processorTime() - before };
}

/** Newest first, each once. */
async function stopAll(): Promise<void> {
  for (let stop = started.pop(); stop !== undefined; stop = started.pop()) await stop();
}

async function giveUp(why: string): Promise<void> {
  if (isStopping) return;
  isStopping = true;
  console.error(`stopped: ${why}`);
  printComparison(embedded, real);
  await stopAll();
  process.exit(1);
}
