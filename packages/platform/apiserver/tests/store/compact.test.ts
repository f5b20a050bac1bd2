import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { until } from "@trivium/testkit";
import { openMemoryStore, openStore } from "../../src/store/index.ts";
import { names, put, record, remove, temporaryDirectory, turns } from "./fixture.ts";

function rowsIn(directory: string): unknown[] {
  const database = new DatabaseSync(`${directory}/store.db`, { readOnly: true });
  try {
    return database
      .prepare("SELECT rv FROM log ORDER BY rv")
      .all()
      .map(({ rv }) => rv);
  } finally {
    database.close();
  }
}

test("compaction drops replaced states and deletions, and keeps what later events need", async (t) => {
  const directory = temporaryDirectory(t);
  const store = await openStore({ directory });
  await put(store, "a/kept"); // 2: current
  await put(store, "a/changed", { spec: "old" }); // 3: replaced by 4
  await put(store, "a/changed", { spec: "mid" }); // 4: replaced by 8, after the compaction point
  await put(store, "a/gone"); // 5: deleted by 6
  await remove(store, "a/gone"); // 6
  await put(store, "a/later"); // 7: deleted by 9
  await put(store, "a/changed", { spec: "new" }); // 8
  await remove(store, "a/later"); // 9
  store.compact(7);
  const { events, lines } = record(store, "pods", { after: 7 });
  await turns();
  assert.deepEqual(lines, ["MODIFIED a/changed 8 (was 4)", "DELETED a/later 9 (was 7)"]);
  assert.equal(JSON.parse(events[0]!.previous!.text).spec, "mid");
  await store.close();
  assert.deepEqual(rowsIn(directory), [2, 4, 7, 8, 9]);

  const again = await openStore({ directory });
  assert.deepEqual([again.revision, again.oldestRevision], [9, 7]);
  assert.deepEqual(names(again.list("pods")), ["a/changed", "a/kept"]);
  await again.close();
});

test("revisions go on after everything that was written is gone and compacted", async (t) => {
  const directory = temporaryDirectory(t);
  const store = await openStore({ directory });
  await put(store, "a/x");
  await remove(store, "a/x");
  store.compact(3);
  await store.close();
  assert.deepEqual(rowsIn(directory), []);
  const again = await openStore({ directory });
  assert.deepEqual([again.revision, again.oldestRevision], [3, 3]);
  assert.equal((await put(again, "a/x")).revision, 4);
  await again.close();
});

test("what compaction promised before a stop holds after it, and the sweep is taken up again", async (t) => {
  const directory = temporaryDirectory(t);
  const store = await openStore({ directory });
  await Promise.all(Array.from({ length: 1000 }, () => put(store, "a/x")));
  store.compact(1000);
  await store.close();
  assert.ok(rowsIn(directory).length > 100, "the stop came before the sweep was done");
  const again = await openStore({ directory });
  assert.equal(again.oldestRevision, 1000);
  await turns();
  await again.close();
  assert.deepEqual(rowsIn(directory), [1000, 1001]);
});

test("compaction goes neither back nor beyond what is committed", async () => {
  const store = openMemoryStore();
  await put(store, "a/x");
  await put(store, "a/x");
  const pending = put(store, "a/x");
  store.compact(99);
  assert.equal(store.oldestRevision, 3);
  store.compact(2);
  assert.equal(store.oldestRevision, 3);
  const { lines } = record(store, "pods", { after: 3 });
  await pending;
  assert.deepEqual(lines, ["MODIFIED a/x 4 (was 3)"]);
});

test("history older than the limit is forgotten by itself, younger stays", async () => {
  let now = 0;
  const store = openMemoryStore({ clock: () => now, history: { keepMillis: 100 } });
  now = 10;
  await put(store, "a/x");
  now = 60;
  await put(store, "a/x");
  await sleep(120);
  assert.equal(store.oldestRevision, 0, "the clock stands still, so nothing is old");
  now = 120;
  await until(() => store.oldestRevision > 0);
  assert.equal(store.oldestRevision, 2);
  now = 1000;
  await until(() => store.oldestRevision > 2);
  assert.equal(store.oldestRevision, 3);
});

test("more events than may be kept are forgotten by themselves", async () => {
  const store = openMemoryStore({ history: { maxEvents: 50 } });
  for (let i = 0; i < 200; i++) await put(store, `a/${i % 3}`);
  assert.ok(store.oldestRevision >= 201 - 55 && store.oldestRevision <= 201 - 50, `${store.oldestRevision}`);
  const { lines } = record(store, "pods", { after: store.oldestRevision });
  await turns();
  assert.equal(lines.length, 201 - store.oldestRevision);
});

test("a file that is mostly empty after compaction gives its space back, and stays sound", async (t) => {
  const directory = temporaryDirectory(t);
  const store = await openStore({ directory });
  const spec = "x".repeat(100_000);
  for (let i = 0; i < 40; i++) await Promise.all(Array.from({ length: 10 }, () => put(store, `a/${i % 5}`, { spec })));
  const size = () => statSync(`${directory}/store.db`).size;
  const before = size();
  assert.ok(before > 30_000_000);
  store.compact(store.revision);
  await turns(100);
  await store.close();
  assert.ok(size() < 20_000_000, `${before} became ${size()}`);
  const again = await openStore({ directory });
  assert.deepEqual(
    Array.from(again.list("pods"), ({ text }) => JSON.parse(text).spec),
    [spec, spec, spec, spec, spec],
  );
  await again.close();
});
