import assert from "node:assert/strict";
import { test } from "node:test";
import { openMemoryStore, openStore } from "../../src/store/index.ts";
import { StoreClosed, StoreConflict } from "../../src/store/store.ts";
import { key, names, put, record, remove, temporaryDirectory } from "./fixture.ts";

test("an empty store has a revision that is not 0, and an empty history", () => {
  const store = openMemoryStore();
  assert.deepEqual([store.revision, store.oldestRevision, store.isSettled], [1, 0, true]);
  assert.deepEqual([...store.list("pods")], []);
  assert.equal(store.count("pods"), 0);
});

test("a write is readable at once and durable when its promise resolves", async () => {
  const store = openMemoryStore();
  const writing = put(store, "a/x", { labels: { app: "x" }, owners: ["owner"] });
  assert.equal(store.get(key("a/x"))?.revision, 2);
  assert.deepEqual([store.revision, store.isSettled], [1, false]);
  const stored = await writing;
  assert.deepEqual([store.revision, store.isSettled], [2, true]);
  assert.deepEqual(stored, store.get(key("a/x")));
  assert.deepEqual(stored.labels, { app: "x" });
  assert.deepEqual(names(store.ownedBy("owner")), ["a/x"]);
  assert.equal(JSON.parse(stored.text).metadata.resourceVersion, "2");
});

test("a write that expects another revision is refused at once and tells what is there", async () => {
  const store = openMemoryStore();
  const first = await put(store, "a/x");
  const refused = (expect: number) => (error: unknown) => {
    assert.ok(error instanceof StoreConflict, `expecting ${expect}`);
    assert.equal(error.actual?.revision, first.revision);
    return true;
  };
  assert.throws(() => put(store, "a/x", { expect: 0 }), refused(0));
  assert.throws(() => put(store, "a/x", { expect: 99 }), refused(99));
  assert.throws(() => remove(store, "a/x", { expect: 1 }), refused(1));
  assert.throws(() => put(store, "a/y", { expect: 2 }), StoreConflict);
  assert.throws(() => remove(store, "a/y", { expect: 0 }), StoreConflict);
  assert.equal(store.isSettled, true);
  assert.deepEqual(names(store.list("pods")), ["a/x"]);
});

test("of two writers that read the same revision in one turn only the first wins", async () => {
  const store = openMemoryStore();
  const { revision } = await put(store, "a/x");
  const first = put(store, "a/x", { expect: revision, spec: "first" });
  assert.throws(() => put(store, "a/x", { expect: revision, spec: "second" }), StoreConflict);
  await first;
  assert.equal(JSON.parse(store.get(key("a/x"))!.text).spec, "first");
});

test("writes of one turn may build on each other", async () => {
  const store = openMemoryStore();
  const { lines } = record(store, "pods", { after: 1 });
  await Promise.all([put(store, "a/x"), put(store, "a/x"), remove(store, "a/x"), put(store, "a/x")]);
  assert.deepEqual(lines, ["ADDED a/x 2", "MODIFIED a/x 3 (was 2)", "DELETED a/x 4 (was 3)", "ADDED a/x 5"]);
  assert.equal(store.get(key("a/x"))?.revision, 5);
});

test("a writer that throws while it makes its text changes nothing", async () => {
  const store = openMemoryStore();
  const broken = () =>
    store.write({
      key: key("a/x"),
      op: "put",
      expect: 0,
      write() {
        throw new RangeError("no text");
      },
    });
  assert.throws(broken, RangeError);
  assert.deepEqual([store.isSettled, store.count("pods")], [true, 0]);
  assert.equal((await put(store, "a/x")).revision, 2);
});

test("a write inside another write is a bug and says so", () => {
  const store = openMemoryStore();
  const nested = () =>
    store.write({
      key: key("a/x"),
      op: "put",
      expect: 0,
      write(revision) {
        put(store, "a/y");
        return { text: `{"revision":${revision}}`, uid: "u", owners: [] };
      },
    });
  assert.throws(nested, /inside another write/);
});

test("settled waits for what was written before it, and for nothing when there is nothing", async () => {
  const store = openMemoryStore();
  await store.settled();
  const order: string[] = [];
  const writing = put(store, "a/x").then(() => order.push("written"));
  await store.settled();
  order.push(`settled at ${store.revision}`);
  await writing;
  assert.deepEqual(order, ["written", "settled at 2"]);
});

test("a watcher that writes and waits for settled waits for its own write", async () => {
  const store = openMemoryStore();
  let atSettled: number | undefined;
  const done = Promise.withResolvers<void>();
  store.watch(
    "pods",
    { after: 1 },
    {
      event() {
        put(store, "a/y", { resource: "services" });
        store.settled().then(() => {
          atSettled = store.revision;
          done.resolve();
        });
      },
    },
  );
  const writing = put(store, "a/x");
  store.settled();
  await writing;
  await done.promise;
  assert.equal(atSettled, 3);
});

test("names, labels and texts of any characters survive a restart", async (t) => {
  const directory = temporaryDirectory(t);
  const store = await openStore({ directory });
  const spec = { nul: "a\0b", wide: "模型 😀", half: "\ud83d", quote: `'"\\` };
  const labels = { "app.kubernetes.io/name": "é", ["__proto__"]: "x" };
  const before = await put(store, "sys:tem/x.y:z'\"", { spec, labels, owners: ["o'1", "o2"] });
  await store.close();
  const again = await openStore({ directory });
  assert.deepEqual(again.get(before.key), before);
  assert.deepEqual(JSON.parse(again.get(before.key)!.text).spec, spec);
  assert.deepEqual(names(again.ownedBy("o'1")), [`${before.key.namespace}/${before.key.name}`]);
  await again.close();
});

test("closing commits what is pending; afterwards nothing can be written or watched", async (t) => {
  const directory = temporaryDirectory(t);
  const store = await openStore({ directory });
  const writing = put(store, "a/x");
  await store.close();
  assert.equal((await writing).revision, 2);
  assert.throws(() => put(store, "a/y"), StoreClosed);
  assert.throws(() => store.watch("pods", { after: 2 }, { event() {} }), StoreClosed);
  await store.close();
  const again = await openStore({ directory });
  assert.deepEqual(names(again.list("pods")), ["a/x"]);
  await again.close();
});
