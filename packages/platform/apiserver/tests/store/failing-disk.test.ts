import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { openDatabaseFile } from "../../src/store/database-file.ts";
import { layOut } from "../../src/store/format.ts";
import { openMemoryStore, openStore, type Store } from "../../src/store/index.ts";
import { Journal, readContents } from "../../src/store/journal.ts";
import { LogStore } from "../../src/store/log-store.ts";
import { StoreWriteFailed } from "../../src/store/store.ts";
import { key, names, put, record, remove, temporaryDirectory, turns } from "./fixture.ts";

/** A store whose database the test can make fail, on the disk or in memory. */
function openOn(database: DatabaseSync, report: (error: Error) => void = assert.fail): Store {
  return new LogStore({ journal: new Journal(database), contents: readContents(database) }, { report });
}

function freshDatabase(): DatabaseSync {
  const database = new DatabaseSync(":memory:");
  layOut(database);
  return database;
}

function fillUp(database: DatabaseSync): void {
  const { page_count: pages } = database.prepare("PRAGMA page_count").get()!;
  database.exec(`PRAGMA max_page_count = ${pages}`);
}

function makeSpace(database: DatabaseSync): void {
  database.exec("PRAGMA max_page_count = 1000000");
}

const big = "x".repeat(20_000);

test("a full disk takes back the whole batch, says why, and the store goes on when there is room", async () => {
  const database = freshDatabase();
  const store = openOn(database);
  await put(store, "a/kept", { owners: ["o"], spec: 1 });
  await put(store, "a/removed");
  const { lines } = record(store, "pods", { after: store.revision });
  fillUp(database);
  const before = snapshot(store);
  const results = Promise.allSettled([
    put(store, "a/new"),
    put(store, "a/kept", { owners: ["p"], spec: 2 }),
    put(store, "a/kept", { owners: ["q"], spec: 3 }),
    remove(store, "a/removed"),
    put(store, "a/removed", { owners: ["o"] }),
    put(store, "b/huge", { spec: big }),
  ]);
  assert.deepEqual(names(store.list("pods")), ["a/kept", "a/new", "a/removed", "b/huge"]);
  await store.settled();
  for (const result of await results) {
    assert.equal(result.status, "rejected");
    assert.ok(result.reason instanceof StoreWriteFailed);
    assert.match(result.reason.message, /disk is full.*check free space/);
  }
  assert.deepEqual(snapshot(store), before);
  assert.deepEqual(lines, []);

  makeSpace(database);
  const after = await put(store, "a/new");
  assert.equal(after.revision, 10, "revisions that were given out are not given out again");
  assert.deepEqual(lines, ["ADDED a/new 10"]);
  assert.equal(store.revision, 10);
});

function snapshot(store: Store) {
  const owned = ["o", "p", "q"].map((uid) => names(store.ownedBy(uid)));
  return { objects: [...store.list("pods")], owned, count: store.count("pods"), revision: store.revision };
}

test("a write-ahead log that cannot grow fails the batch, and the file on the disk stays sound", async (t) => {
  const directory = temporaryDirectory(t);
  await (await openStore({ directory })).close();
  const database = openDatabaseFile(`${directory}/store.db`);
  const store = openOn(database);
  await put(store, "a/x");
  fillUp(database);
  await assert.rejects(Promise.all([put(store, "a/y", { spec: big }), put(store, "a/z")]), StoreWriteFailed);
  makeSpace(database);
  await put(store, "a/w");
  await store.close();
  const again = await openStore({ directory });
  assert.deepEqual(names(again.list("pods")), ["a/w", "a/x"]);
  assert.equal(again.revision, 5);
  await again.close();
});

test("a database that refuses every statement fails batch after batch without losing what was there", async () => {
  const database = freshDatabase();
  const store = openOn(database);
  await put(store, "a/x");
  database.exec("PRAGMA query_only = ON");
  for (let i = 0; i < 3; i++) {
    await assert.rejects(put(store, `a/${i}`), /readonly database/);
    await assert.rejects(remove(store, "a/x"), StoreWriteFailed);
  }
  assert.deepEqual(names(store.list("pods")), ["a/x"]);
  database.exec("PRAGMA query_only = OFF");
  const { revision } = await put(store, "a/x");
  assert.ok(revision > 8);
  const { lines } = record(store, "pods", { after: 1 });
  await turns();
  assert.deepEqual(lines, ["ADDED a/x 2", `MODIFIED a/x ${revision} (was 2)`]);
});

test("a sweep that fails is reported and made up for later", async () => {
  const database = freshDatabase();
  const reported: string[] = [];
  const store = openOn(database, (error) => reported.push(error.message));
  for (let i = 0; i < 5; i++) await put(store, "a/x");
  database.exec("PRAGMA query_only = ON");
  store.compact(4);
  await turns();
  assert.deepEqual(reported, ["cannot compact the store; trying again later"]);
  assert.equal(store.oldestRevision, 4);
  database.exec("PRAGMA query_only = OFF");
  await put(store, "a/x");
  await turns();
  const rows = database.prepare("SELECT rv FROM log").all();
  assert.deepEqual(
    rows.map(({ rv }) => rv),
    [4, 5, 6, 7],
  );
});

test("an update whose writer gave up waiting does not crash the others", async () => {
  const store = openMemoryStore();
  put(store, "a/x").catch(() => {});
  await put(store, "a/y");
  assert.equal(store.get(key("a/x"))?.revision, 2);
});
