import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import type { Store } from "../../src/store/index.ts";
import type { Change, Key, Stored, StoreEvent, WatchFrom } from "../../src/store/store.ts";

export function temporaryDirectory(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), "trivium-store-"));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** The key of `namespace/name`; `resource` is pods unless told. */
export function key(path: string, resource = "pods"): Key {
  const [namespace = "", name = ""] = path.split("/");
  return { resource, namespace, name };
}

export interface Extras {
  resource?: string;
  expect?: number;
  spec?: unknown;
  labels?: Record<string, string>;
  owners?: string[];
}

/** A put that expects what is there now, unless told otherwise. */
export function put(store: Store, path: string, extras: Extras = {}): Promise<Stored> {
  return store.write(change(store, { path, op: "put", extras }));
}

export function remove(store: Store, path: string, extras: Extras = {}): Promise<Stored> {
  return store.write(change(store, { path, op: "delete", extras }));
}

function change(store: Store, wanted: { path: string; op: "put" | "delete"; extras: Extras }): Change {
  const { resource, spec, labels, owners = [] } = wanted.extras;
  const at = key(wanted.path, resource);
  const before = store.get(at);
  return {
    key: at,
    op: wanted.op,
    expect: wanted.extras.expect ?? before?.revision ?? 0,
    write: (revision) => ({
      text: JSON.stringify({ metadata: { name: at.name, resourceVersion: String(revision) }, spec }),
      uid: before?.uid ?? `uid-${revision}`,
      labels,
      owners,
    }),
  };
}

/** Watches and writes down what it is told, one line an event: `ADDED a/x 5` or `MODIFIED a/x 6 (was 5)`. */
export function record(store: Store, resource: string, from: WatchFrom) {
  const lines: string[] = [];
  const events: StoreEvent[] = [];
  const progress: number[] = [];
  const ended: Error[] = [];
  const unwatch = store.watch(resource, from, {
    event(event) {
      events.push(event);
      lines.push(lineOf(event));
    },
    progress: (revision) => progress.push(revision),
    ended: (why) => ended.push(why),
  });
  return { lines, events, progress, ended, unwatch };
}

export function lineOf({ type, revision, object, previous }: StoreEvent): string {
  const was = previous === undefined ? "" : ` (was ${previous.revision})`;
  return `${type} ${object.key.namespace}/${object.key.name} ${revision}${was}`;
}

export function names(entries: Iterable<Stored>): string[] {
  return Array.from(entries, ({ key: { namespace, name } }) => `${namespace}/${name}`);
}

/** Lets everything that waits for its turn of the event loop have a few. */
export async function turns(count = 20): Promise<void> {
  for (let i = 0; i < count; i++) await new Promise((resolve) => setImmediate(resolve));
}
