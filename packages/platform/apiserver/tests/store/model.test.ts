import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import fc from "fast-check";
import { layOut } from "../../src/store/format.ts";
import { openStore, type Store } from "../../src/store/index.ts";
import { Journal, readContents } from "../../src/store/journal.ts";
import { LogStore } from "../../src/store/log-store.ts";
import { StoreConflict, StoreGone, StoreWriteFailed } from "../../src/store/store.ts";
import { key, temporaryDirectory, turns } from "./fixture.ts";
import { type Happening, happeningOf, isPrefix, Model } from "./model.ts";

const paths = ["a/x", "a/y", "a-b/x", "b/x", "b/z"];
const owners = ["o1", "o2"];

const path = fc.constantFrom(...paths);
const step = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: fc.constant("put" as const), path, owners: fc.subarray(owners) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("delete" as const), path }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("stale" as const), path, off: fc.constantFrom(-1, 1, 100) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("settle" as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("turn" as const) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("watch" as const),
      back: fc.nat(12),
      namespace: fc.option(fc.constantFrom("a", "b"), { nil: undefined }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("unwatch" as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("compact" as const), back: fc.nat(6) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("fail" as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("reopen" as const) }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** Where a run keeps its store: how to open it (again), and how to make the next commits fail. */
interface Backend {
  open(): Promise<Store>;
  breakDisk?(): void;
  mendDisk?(): void;
}

interface Watching {
  readonly after: number;
  readonly namespace: string | undefined;
  readonly observed: Happening[];
  readonly unwatch: () => void;
  ended: Error | undefined;
  /** Watches that were stopped have seen a part; all others must have seen everything. */
  isStopped: boolean;
}

/** Runs steps on a store and on the model side by side. */
class Run {
  readonly #backend: Backend;
  readonly #model = new Model();
  #store!: Store;
  #watching: Watching[] = [];
  #writes: Promise<unknown>[] = [];
  #isBroken = false;

  constructor(backend: Backend) {
    this.#backend = backend;
  }

  async go(steps: readonly Step[]): Promise<void> {
    this.#store = await this.#backend.open();
    for (const one of steps) {
      await this.#take(one);
      this.#compareReads();
    }
    await this.#settle();
    await this.#finishWatches();
    await this.#store.close();
  }

  async #take(one: Step): Promise<void> {
    switch (one.do) {
      case "put":
        return this.#put(one.path, one.owners);
      case "delete":
        return this.#delete(one.path);
      case "stale":
        return this.#stale(one.path, one.off);
      case "settle":
        return this.#settle();
      case "turn":
        // Commits, but leaves watchers in the middle of catching up.
        await turns(1);
        return this.#settle();
      case "watch":
        return this.#watch(this.#model.revision - one.back, one.namespace);
      case "unwatch":
        return this.#unwatch();
      case "compact":
        this.#model.compact(this.#model.revision - one.back);
        return this.#store.compact(this.#model.revision - one.back);
      case "fail":
        if (this.#backend.breakDisk === undefined || !this.#model.isSettled) return;
        this.#backend.breakDisk();
        this.#isBroken = true;
        return;
      case "reopen":
        return this.#reopen();
    }
  }

  #put(at: string, ownedBy: readonly string[]): void {
    const text = `{"n":${this.#model.assigned}}`;
    const expect = this.#model.objects.get(at)?.revision ?? 0;
    const write = (revision: number) => {
      assert.equal(revision, this.#model.assigned + 1);
      return { text, uid: at, owners: ownedBy };
    };
    this.#expectWrite(this.#store.write({ key: key(at), op: "put", expect, write }));
    this.#model.put(at, text, ownedBy);
  }

  #delete(at: string): void {
    const text = `{"last":${this.#model.assigned}}`;
    const expect = this.#model.objects.get(at)?.revision ?? 0;
    const write = () => ({ text, uid: at, owners: [] });
    const remove = () => this.#store.write({ key: key(at), op: "delete", expect, write });
    if (expect === 0) {
      assert.throws(remove, StoreConflict);
      return;
    }
    this.#expectWrite(remove());
    this.#model.remove(at, text);
  }

  #expectWrite(write: Promise<unknown>): void {
    // Looked at when the run settles; until then a refusal is nobody's fault.
    write.catch(() => {});
    this.#writes.push(write);
  }

  #stale(at: string, off: number): void {
    const expect = (this.#model.objects.get(at)?.revision ?? 0) + off;
    const write = () => assert.fail("a refused write must not be composed");
    assert.throws(() => this.#store.write({ key: key(at), op: "put", expect, write }), StoreConflict);
  }

  async #settle(): Promise<void> {
    await this.#store.settled();
    const results = await Promise.allSettled(this.#writes);
    this.#writes = [];
    for (const result of results) {
      if (this.#isBroken) assert.ok(result.status === "rejected" && result.reason instanceof StoreWriteFailed);
      else assert.equal(result.status, "fulfilled");
    }
    if (this.#isBroken) {
      this.#model.takeBack();
      this.#backend.mendDisk?.();
      this.#isBroken = false;
    } else this.#model.commit();
  }

  #watch(after: number, namespace: string | undefined): void {
    if (after < this.#model.oldest) {
      assert.throws(() => this.#store.watch("pods", { after, namespace }, { event() {} }), StoreGone);
      return;
    }
    const observed: Happening[] = [];
    const unwatch = this.#store.watch(
      "pods",
      { after, namespace },
      {
        event: (event) => observed.push(happeningOf(event)),
        ended(why) {
          watching.ended = why;
        },
      },
    );
    const watching: Watching = { after, namespace, observed, unwatch, ended: undefined, isStopped: false };
    this.#watching.push(watching);
  }

  #unwatch(): void {
    const watching = this.#watching.find((one) => !one.isStopped);
    if (watching === undefined) return;
    watching.unwatch();
    watching.isStopped = true;
  }

  async #reopen(): Promise<void> {
    await this.#settle();
    await this.#finishWatches();
    await this.#store.close();
    this.#store = await this.#backend.open();
    this.#model.restart();
  }

  async #finishWatches(): Promise<void> {
    await turns();
    for (const watching of this.#watching) {
      const { after, namespace, observed, ended, isStopped } = watching;
      const expected = this.#model.after(after, namespace);
      if (ended === undefined && !isStopped) assert.deepEqual(observed, expected);
      else assert.ok(isPrefix(observed, expected), "a watch that ended early saw all up to its end");
      if (ended !== undefined) assert.ok(ended instanceof StoreGone, String(ended));
    }
    this.#watching = [];
  }

  #compareReads(): void {
    const model = this.#model;
    const store = this.#store;
    assert.equal(store.isSettled, model.isSettled);
    assert.deepEqual([store.revision, store.oldestRevision], [model.revision, model.oldest]);
    const sorted = [...model.objects].sort(([a], [b]) => (a < b ? -1 : 1));
    const listed = Array.from(store.list("pods"), ({ key: at, revision, text }) => [
      `${at.namespace}/${at.name}`,
      revision,
      text,
    ]);
    assert.deepEqual(
      listed,
      sorted.map(([at, { revision, text }]) => [at, revision, text]),
    );
    assert.equal(store.count("pods"), sorted.length);
    for (const owner of owners) {
      const owned = store.ownedBy(owner).map(({ key: at }) => `${at.namespace}/${at.name}`);
      assert.deepEqual(owned.sort(), model.ownedBy(owner).sort());
    }
    for (const at of paths) {
      assert.equal(store.get(key(at))?.revision, model.objects.get(at)?.revision);
      this.#compareResumed(
        at,
        sorted.map(([one]) => one),
      );
    }
  }

  #compareResumed(at: string, sorted: readonly string[]): void {
    const { namespace, name } = key(at);
    const rest = Array.from(this.#store.list("pods", { after: { namespace, name } }), (one) => one.key);
    assert.deepEqual(
      rest.map((one) => `${one.namespace}/${one.name}`),
      sorted.filter((one) => one > at),
    );
  }
}

/** Keeps the database between openings and lets it fail. */
function memoryBackend(): Backend {
  const database = new DatabaseSync(":memory:");
  layOut(database);
  class Reopenable extends Journal {
    override close(): void {}
  }
  return {
    open: async () =>
      new LogStore({ journal: new Reopenable(database), contents: readContents(database) }, { report() {} }),
    breakDisk: () => database.exec("PRAGMA query_only = ON"),
    mendDisk: () => database.exec("PRAGMA query_only = OFF"),
  };
}

const options = { interruptAfterTimeLimit: 20_000 };

test("whatever is done in whatever order, the store is what the model is", async () => {
  const property = fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 80 }), (steps) =>
    new Run(memoryBackend()).go(steps),
  );
  await fc.assert(property, { ...options, numRuns: 300 });
});

test("the same on a disk, over restarts", async (t) => {
  const home = temporaryDirectory(t);
  let runs = 0;
  const property = fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 80 }), (steps) => {
    const directory = `${home}/${runs++}`;
    return new Run({ open: () => openStore({ directory }) }).go(steps);
  });
  await fc.assert(property, { ...options, numRuns: 60 });
});
