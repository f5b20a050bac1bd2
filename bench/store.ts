/**
 * How fast the store is on this disk, and what it costs in memory: `node bench/store.ts`. Ends by itself in a few seconds.
 */
import { existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore, type Store } from "@trivium/apiserver";
import { printTable } from "./support/table.ts";

const objects = 10_000;
const bytes = 2_000;
const filling = "x".repeat(bytes - 80);
const directory = mkdtempSync(join(tmpdir(), "trivium-bench-"));
const table: [string, string][] = [];

try {
  const store = await openStore({ directory });
  await measurePuts(store, 1);
  await measurePuts(store, 16);
  await measureFill(store);
  measureList(store);
  await measureFanOut(store);
  await measureCompaction(store);
  await store.close();
  await measureColdOpen();
  await measureStall();
  printTable(table);
} finally {
  rmSync(directory, { recursive: true, force: true });
}

function tell(what: string, result: string): void {
  table.push([what, result]);
}

function write(store: Store, resource: string, name: string): Promise<unknown> {
  const key = { resource, namespace: "bench", name };
  const text = (revision: number) =>
    `{"metadata":{"name":"${name}","resourceVersion":"${revision}"},"spec":"${filling}"}`;
  return store.write({
    key,
    op: "put",
    expect: store.get(key)?.revision ?? 0,
    write: (revision) => ({ text: text(revision), uid: `uid-of-${name}-with-the-usual-length`, owners: [] }),
  });
}

async function measurePuts(store: Store, writers: number): Promise<void> {
  const until = performance.now() + 1500;
  const latencies: number[] = [];
  const run = async (writer: number): Promise<void> => {
    for (let i = 0; performance.now() < until; i++) {
      const start = performance.now();
      await write(store, "puts", `${writer}-${i % 50}`);
      latencies.push(performance.now() - start);
    }
  };
  await Promise.all(Array.from({ length: writers }, (_, writer) => run(writer)));
  latencies.sort((a, b) => a - b);
  const at = (part: number) => `${latencies[Math.floor(latencies.length * part)]!.toFixed(2)} ms`;
  const rate = Math.round(latencies.length / 1.5);
  tell(
    `durable puts of ${bytes} B, ${writers} at a time`,
    `${rate}/s, p50 ${at(0.5)}, p99 ${at(0.99)}, max ${at(0.9999999)}`,
  );
}

async function measureFill(store: Store): Promise<void> {
  const before = settledMemory();
  const start = performance.now();
  for (let i = 0; i < objects; i += 100) {
    await Promise.all(Array.from({ length: 100 }, (_, j) => write(store, "things", `thing-${(i + j) * 7919}`)));
  }
  const took = performance.now() - start;
  tell(`${objects} new objects, 100 a turn`, `${Math.round(objects / (took / 1000))}/s`);
  const each = Math.round((settledMemory() - before) / objects);
  tell(
    "memory of one object",
    globalThis.gc === undefined ? "start with --expose-gc" : `${each} B of heap for ${bytes} B of text`,
  );
}

function settledMemory(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

function measureList(store: Store): void {
  for (const turn of ["first", "second"]) {
    const start = performance.now();
    let size = 0;
    for (const { text } of store.list("things")) size += text.length;
    tell(
      `list of ${objects} (${turn})`,
      `${(performance.now() - start).toFixed(1)} ms, ${(size / 1e6).toFixed(1)} MB of text`,
    );
  }
}

async function measureFanOut(store: Store): Promise<void> {
  const watchers = 100;
  const events = 5_000;
  let delivered = 0;
  const event = () => {
    delivered++;
  };
  const stops = Array.from({ length: watchers }, () => store.watch("watched", { after: store.revision }, { event }));
  const from = store.revision;
  const start = performance.now();
  for (let i = 0; i < events; i += 50) {
    await Promise.all(Array.from({ length: 50 }, (_, j) => write(store, "watched", `${(i + j) % 500}`)));
  }
  const took = performance.now() - start;
  for (const stop of stops) stop();
  tell(`${events} events to ${watchers} watchers`, `${delivered} delivered, ${Math.round(delivered / took)}k/s`);

  const begin = performance.now();
  const caughtUp = Promise.withResolvers<void>();
  let left = events;
  store.watch("watched", { after: from }, { event: () => --left === 0 && caughtUp.resolve() });
  await caughtUp.promise;
  tell(`catching up with ${events} events from the log`, `${(performance.now() - begin).toFixed(1)} ms`);
}

/** How long other work has to wait while history is swept. */
async function measureCompaction(store: Store): Promise<void> {
  const until = store.revision - 1000;
  const longest = longestTurn();
  const start = performance.now();
  store.compact(until);
  for (let i = 0; i < until / 256 + 10; i++) await new Promise((resolve) => setImmediate(resolve));
  const took = performance.now() - start;
  tell(`compaction of ${until} revisions`, `${took.toFixed(0)} ms, longest turn ${longest().toFixed(1)} ms`);
}

function longestTurn(): () => number {
  let longest = 0;
  let last = performance.now();
  let isRunning = true;
  const turn = (): void => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
    if (isRunning) setImmediate(turn);
  };
  setImmediate(turn);
  return () => {
    isRunning = false;
    return longest;
  };
}

async function measureColdOpen(): Promise<void> {
  for (const turn of ["first", "second"]) {
    const start = performance.now();
    const store = await openStore({ directory });
    const took = performance.now() - start;
    const size = statSync(join(directory, "store.db")).size / 1e6;
    tell(
      `cold open with ${store.count("things")} objects (${turn})`,
      `${took.toFixed(0)} ms, file of ${size.toFixed(0)} MB`,
    );
    await store.close();
  }
}

/** What a steady load of writes costs everybody else: checkpoints of the write-ahead log happen within it. */
async function measureStall(): Promise<void> {
  const store = await openStore({ directory });
  const longest = longestTurn();
  let biggest = 0;
  for (let i = 0; i < 300; i++) {
    await Promise.all(Array.from({ length: 16 }, (_, j) => write(store, "stall", `${i}-${j}`)));
    const log = join(directory, "store.db-wal");
    if (existsSync(log)) biggest = Math.max(biggest, statSync(log).size);
  }
  tell(
    "longest turn under 4,800 puts, 16 at a time",
    `${longest().toFixed(1)} ms, log up to ${(biggest / 1e6).toFixed(1)} MB`,
  );
  await store.close();
}
