import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type CacheWeight, planSpace } from "./plan-space.ts";

const gib = 1024 ** 3;
const terms = {
  namespace: "team-a",
  kind: "AIMModelCache",
  remedy: "raise storage.maxCacheBytes in the runtime config, or delete caches",
};
const cache = (name: string, gigabytes: number, more: Partial<CacheWeight> = {}): CacheWeight => ({
  name,
  bytes: gigabytes * gib,
  is: "holds",
  budget: 100 * gib,
  lastUsed: "2026-11-01T00:00:00Z",
  createdAt: "2026-10-01T00:00:00Z",
  ...more,
});
const request = (name: string, gigabytes: number, more: Partial<CacheWeight> = {}) =>
  cache(name, gigabytes, { is: "wants", ...more });
const outcome = (caches: readonly CacheWeight[]) => {
  const { spaces, evicted } = planSpace(caches, terms);
  return {
    spaces: Object.fromEntries([...spaces].map(([name, { is }]) => [name, is])),
    evicted: [...evicted.keys()].sort(),
  };
};

test("available space is granted to the cache that waits longest", () => {
  const caches = [cache("a", 60), request("late", 30, { createdAt: "2026-10-03T00:00:00Z" }), request("first", 30)];
  assert.deepEqual(outcome(caches).spaces, { first: "granted", late: "making" });
});

test("least recently used caches are deleted first, as few as needed, and none in use", () => {
  const caches = [
    cache("used", 40, { lastUsed: "2026-09-01T00:00:00Z", pinnedBy: "in use" }),
    cache("old", 20, { lastUsed: "2026-10-01T00:00:00Z" }),
    cache("older", 20, { lastUsed: "2026-09-15T00:00:00Z" }),
    cache("young", 20, { lastUsed: "2026-10-30T00:00:00Z" }),
    request("new", 35),
  ];
  assert.deepEqual(outcome(caches), { spaces: { new: "making" }, evicted: ["old", "older"] });
});

test("nothing is deleted for a cache that would still not fit, and the message states what is kept and what to do", () => {
  const caches = [cache("used", 90, { pinnedBy: "in use" }), cache("free", 5), request("new", 20)];
  const { spaces, evicted } = planSpace(caches, terms);
  assert.equal(evicted.size, 0);
  assert.deepEqual(spaces.get("new"), {
    is: "refused",
    why: "Not enough space for model caches in namespace team-a: 95Gi of 100Gi used, 20Gi requested; cannot delete used (in use); raise storage.maxCacheBytes in the runtime config, or delete caches",
  });
  assert.deepEqual(outcome([cache("free", 50), request("huge", 101)]), { spaces: { huge: "refused" }, evicted: [] });
});

test("space that is being freed is waited for, and granted only once", () => {
  const caches = [cache("going", 50, { is: "leaves" }), cache("stays", 50), request("a", 30), request("b", 30)];
  assert.deepEqual(outcome(caches), { spaces: { a: "making", b: "making" }, evicted: ["stays"] });
});

test("caches without a size or a budget are ignored", () => {
  const unmeasured = { name: "x", is: "wants", budget: 1, lastUsed: "", createdAt: "" } as const;
  const { budget: _, ...free } = request("y", 500);
  assert.deepEqual(outcome([unmeasured, free]), { spaces: {}, evicted: [] });
});

test("never more than the budget, never a pinned cache, and no needless deletion", () => {
  const weight = fc.record({
    gigabytes: fc.integer({ min: 1, max: 60 }),
    is: fc.constantFrom("holds" as const, "wants" as const, "leaves" as const),
    isPinned: fc.boolean(),
    day: fc.integer({ min: 10, max: 28 }),
  });
  fc.assert(
    fc.property(fc.array(weight, { maxLength: 12 }), (weights) => {
      const caches = weights.map(({ gigabytes, is, isPinned, day }, i) =>
        cache(`c${i}`, gigabytes, {
          is,
          lastUsed: `2026-10-${day}T00:00:00Z`,
          ...(isPinned ? { pinnedBy: "in use" } : {}),
        }),
      );
      const { spaces, evicted } = planSpace(caches, terms);
      const of = (name: string) => caches.find((one) => one.name === name) as CacheWeight;
      const granted = [...spaces].flatMap(([name, { is }]) => (is === "granted" ? [of(name)] : []));
      const held = caches.filter(({ is }) => is !== "wants");
      const sum = (list: readonly CacheWeight[]) => list.reduce((all, { bytes = 0 }) => all + bytes, 0);
      if (granted.length > 0) assert.ok(sum(held) + sum(granted) <= 100 * gib);
      for (const [name, wanted] of evicted) {
        assert.equal(of(name).is, "holds");
        assert.equal(of(name).pinnedBy, undefined);
        assert.equal(spaces.get(wanted)?.is, "making");
      }
      assert.deepEqual(outcome(caches.toReversed()), outcome(caches));
    }),
  );
});
