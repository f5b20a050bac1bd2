import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { until } from "@trivium/testkit";
import { openMemoryStore, openStore, type Store } from "../../src/store/index.ts";
import { StoreGone } from "../../src/store/store.ts";
import { lineOf, put, record, remove, temporaryDirectory, turns } from "./fixture.ts";

async function fill(store: Store, count: number): Promise<void> {
  for (let i = 0; i < count; i++) await put(store, `a/${i % 7}`, { resource: i % 3 === 0 ? "services" : "pods" });
}

test("events reach watchers before the writer hears that the write is done", async () => {
  const store = openMemoryStore();
  const { lines } = record(store, "pods", { after: 1 });
  const writing = put(store, "a/x");
  assert.deepEqual(lines, []);
  await writing;
  assert.deepEqual(lines, ["ADDED a/x 2"]);
});

test("watchers hear of their resource and namespace only", async () => {
  const store = openMemoryStore();
  const all = record(store, "pods", { after: 1 });
  const ofB = record(store, "pods", { after: 1, namespace: "b" });
  await Promise.all([put(store, "a/x"), put(store, "b/x"), put(store, "b/y", { resource: "services" })]);
  const late = record(store, "pods", { after: 1, namespace: "b" });
  await turns();
  assert.deepEqual(all.lines, ["ADDED a/x 2", "ADDED b/x 3"]);
  assert.deepEqual(ofB.lines, ["ADDED b/x 3"]);
  assert.deepEqual(late.lines, ofB.lines);
});

test("an event from the log equals the one that was live, previous state included", async () => {
  const store = openMemoryStore();
  const live = record(store, "pods", { after: 1 });
  await put(store, "a/x", { labels: { v: "1" }, spec: 1 });
  await put(store, "a/x", { labels: { v: "2" }, spec: 2 });
  await remove(store, "a/x", { spec: 3 });
  await put(store, "a/x");
  const late = record(store, "pods", { after: 1 });
  assert.deepEqual(late.lines, [], "no listener is called before watch has returned");
  await turns();
  const plain = (events: typeof live.events) =>
    JSON.parse(
      JSON.stringify(events, [
        "type",
        "revision",
        "object",
        "previous",
        "key",
        "resource",
        "namespace",
        "name",
        "uid",
        "labels",
        "v",
        "text",
      ]),
    );
  assert.deepEqual(plain(late.events), plain(live.events));
  assert.deepEqual(late.lines, ["ADDED a/x 2", "MODIFIED a/x 3 (was 2)", "DELETED a/x 4 (was 3)", "ADDED a/x 5"]);
  assert.deepEqual(late.events[1]?.previous?.labels, { v: "1" });
});

test("catching up over many slices while writes go on gives every event once, in order", async () => {
  const store = openMemoryStore();
  const reference = record(store, "pods", { after: 1 });
  await fill(store, 1300);
  const late = [0, 1, 2, 600, 1299].map((after) => ({ after, ...record(store, "pods", { after }) }));
  for (let i = 0; i < 200; i++) {
    put(store, `a/${i % 5}`);
    if (i % 3 === 0) await turns(1);
  }
  await store.settled();
  await turns();
  for (const { after, lines } of late) {
    const expected = reference.events.filter(({ revision }) => revision > after).map(lineOf);
    assert.deepEqual(lines, expected, `after ${after}`);
  }
});

test("a watch from a revision that is still to come starts behind it", async () => {
  const store = openMemoryStore();
  const { lines } = record(store, "pods", { after: 3 });
  await Promise.all([put(store, "a/1"), put(store, "a/2"), put(store, "a/3")]);
  assert.deepEqual(lines, ["ADDED a/3 4"]);
});

test("watches resume over a restart", async (t) => {
  const directory = temporaryDirectory(t);
  const store = await openStore({ directory });
  await put(store, "a/x");
  await put(store, "a/x");
  await store.close();
  const again = await openStore({ directory });
  const { lines } = record(again, "pods", { after: 2 });
  await put(again, "a/y");
  await turns();
  assert.deepEqual(lines, ["MODIFIED a/x 3 (was 2)", "ADDED a/y 4"]);
  await again.close();
});

test("after Unwatch nothing comes, not even from the middle of a batch or of catching up", async () => {
  const store = openMemoryStore();
  const observed: number[] = [];
  const stop = store.watch(
    "pods",
    { after: 1 },
    {
      event({ revision }) {
        observed.push(revision);
        stop();
      },
    },
  );
  await Promise.all([put(store, "a/1"), put(store, "a/2")]);
  const late: number[] = [];
  const stopLate = store.watch(
    "pods",
    { after: 1 },
    {
      event({ revision }) {
        late.push(revision);
        stopLate();
      },
    },
  );
  await turns();
  assert.deepEqual([observed, late], [[2], [2]]);
});

test("a listener that throws is dropped and reported; the others get everything", async () => {
  const reported: Error[] = [];
  const store = openMemoryStore({ report: (error) => reported.push(error) });
  const before = record(store, "pods", { after: 1 });
  const ended: Error[] = [];
  let calls = 0;
  store.watch(
    "pods",
    { after: 1 },
    {
      event() {
        calls++;
        throw new RangeError("no room");
      },
      ended(why) {
        ended.push(why);
        throw new Error("and again");
      },
    },
  );
  const after = record(store, "pods", { after: 1 });
  await Promise.all([put(store, "a/1"), put(store, "a/2")]);
  assert.deepEqual([before.lines.length, after.lines.length, calls], [2, 2, 1]);
  assert.ok(ended[0]?.cause instanceof RangeError);
  assert.deepEqual(
    reported.map(({ message }) => message),
    ["a watcher of pods failed and was removed", "and again"],
  );
});

test("idle watchers hear how far they are, each revision once", async () => {
  const store = openMemoryStore({ progressMillis: 5 });
  const pods = record(store, "pods", { after: 1 });
  await put(store, "a/x", { resource: "services" });
  const late = record(store, "pods", { after: 1 });
  await until(() => pods.progress.length > 0 && late.progress.length > 0);
  assert.deepEqual([pods.progress, late.progress], [[2], [2]]);
  // A few more of its turns say nothing new.
  await sleep(20);
  assert.deepEqual(pods.progress, [2]);
  await put(store, "a/x");
  await until(() => pods.progress.length > 1);
  assert.deepEqual(pods.progress, [2, 3]);
});

test("a watch from before the compaction point is told that history is gone", async () => {
  const store = openMemoryStore();
  await fill(store, 10);
  store.compact(5);
  assert.equal(store.oldestRevision, 5);
  assert.throws(
    () => record(store, "pods", { after: 4 }),
    (error: unknown) => error instanceof StoreGone && error.oldest === 5,
  );
  const { lines } = record(store, "pods", { after: 5 });
  await turns();
  assert.equal(lines.length, record(store, "pods", { after: 11 }).lines.length + 4);
});

test("a watcher overtaken by compaction while it catches up is ended, without a gap before", async () => {
  const store = openMemoryStore();
  await fill(store, 2000);
  const slow = record(store, "pods", { after: 1 });
  await turns(2);
  store.compact(1900);
  await turns();
  assert.ok(slow.ended[0] instanceof StoreGone);
  assert.ok(slow.events.length > 0);
  const revisions = slow.events.map(({ revision }) => revision);
  const expected = Array.from({ length: 2000 }, (_, i) => i).filter((i) => i % 3 !== 0);
  assert.deepEqual(
    revisions,
    expected.slice(0, revisions.length).map((i) => i + 2),
  );
  await put(store, "a/x");
  assert.equal(slow.events.length, revisions.length);
});
