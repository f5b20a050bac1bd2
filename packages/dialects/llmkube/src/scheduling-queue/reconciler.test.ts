import assert from "node:assert/strict";
import { test } from "node:test";
import type { Namespace } from "@trivium/kube";
import { violationsOf } from "@trivium/testkit";
import type { ObservedQueue, QueueEntry } from "./observe.ts";
import { queueReconciler } from "./reconciler.ts";

const home: Namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "kube-system" } };
const entry = (name: string, more: Partial<QueueEntry> = {}): QueueEntry => ({
  namespace: "a",
  name,
  isWaiting: true,
  priority: 10_000,
  createdAt: "2026-01-01T00:00:00Z",
  ...more,
});

/** The positions that are written; null takes one away. */
function written(entries: readonly QueueEntry[]): Record<string, unknown> {
  const decision = queueReconciler.decide(home, { entries }, 0);
  const patches = decision.do === "converge" ? (decision.patches ?? []) : [];
  return Object.fromEntries(
    patches.flatMap((patch) =>
      patch.patch === "status" ? [[`${patch.ref.namespace}/${patch.ref.name}`, patch.status.queuePosition]] : [],
    ),
  );
}

test("a higher priority comes first, then the older service, then by name", () => {
  const entries = [
    entry("urgent", { priority: 100_000, createdAt: "2026-01-03T00:00:00Z" }),
    entry("old"),
    entry("twin", { createdAt: "2026-01-02T00:00:00Z" }),
    entry("twin", { namespace: "b", createdAt: "2026-01-02T00:00:00Z" }),
    entry("batch", { priority: 100, createdAt: "2020-01-01T00:00:00Z" }),
  ];
  const expected = { "a/urgent": 1, "a/old": 2, "a/twin": 3, "b/twin": 4, "a/batch": 5 };
  assert.deepEqual(written(entries), expected);
  assert.deepEqual(written(entries.toReversed()), expected);
  const worlds = [{ name: "queue", object: home, observed: { entries }, now: 0 }];
  assert.deepEqual(violationsOf<Namespace, ObservedQueue>(queueReconciler, worlds), []);
});

test("only positions that changed are written", () => {
  const waiting = [entry("a", { position: 1 }), entry("b", { position: 2 })];
  assert.deepEqual(written(waiting), {});
  assert.deepEqual(written([...waiting, entry("c", { createdAt: "2026-02-01T00:00:00Z" })]), { "a/c": 3 });
});

test("a service that starts loses its position, and the others move up", () => {
  const entries = [entry("a", { isWaiting: false, position: 1 }), entry("b", { position: 2 })];
  assert.deepEqual(written(entries), { "a/a": null, "a/b": 1 });
});
