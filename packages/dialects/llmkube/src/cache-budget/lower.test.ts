import assert from "node:assert/strict";
import { test } from "node:test";
import { type Fact, known } from "@trivium/std";
import { lowerEntries } from "./lower.ts";
import type { ObservedBudget } from "./observe.ts";
import { type CacheRecord, formatRecords, parseRecords } from "./record/cache-record.ts";

const key = "a".repeat(16);
const now = Date.parse("2026-11-16T04:00:00Z");
const world = (record: Fact<readonly CacheRecord[]>, more: Partial<ObservedBudget> = {}): ObservedBudget => ({
  bytes: 1000,
  record,
  models: [],
  uses: [],
  evictions: [],
  ...more,
});
const used: CacheRecord = { key, model: "m", state: "cached", bytes: 10 };

test("the time of the last use is the moment when the last pod ended", () => {
  const [entry] = lowerEntries("team-a", world(known([used])), now);
  assert.deepEqual(entry?.record, { ...used, lastUsed: "2026-11-16T04:00:00Z" });
  const [later] = lowerEntries("team-a", world(known([entry?.record as CacheRecord])), now + 60_000);
  assert.deepEqual(later?.record, entry?.record);
});

test("weights that no pod has read are forgotten with the service that needed them", () => {
  const granted: CacheRecord = { ...used, state: "granted" };
  const needs = { key, is: "needs", by: "InferenceService s", since: "2026-11-16T03:00:00Z" } as const;
  assert.equal(lowerEntries("a", world(known([granted]), { uses: [needs] }), now)[0]?.record?.state, "granted");
  assert.equal(lowerEntries("a", world(known([granted])), now)[0]?.record, undefined);
  const reads = { ...needs, is: "reads", by: "Pod p" } as const;
  assert.equal(lowerEntries("a", world(known([granted]), { uses: [reads] }), now)[0]?.record?.state, "cached");
});

test("a Model with the name of a deleted one is not confused with it", () => {
  const models = [{ name: "m", key: "b".repeat(16), bytes: 995 }];
  const uses = [{ key: "b".repeat(16), is: "needs", by: "InferenceService s", since: "" } as const];
  const old: CacheRecord = { ...used, lastUsed: "2026-11-01T00:00:00Z" };
  const [gone, own] = lowerEntries("a", world(known([old]), { models, uses }), now);
  assert.equal(gone?.record?.state, "evicting");
  assert.deepEqual(own?.grant, { is: "making", why: `Deleting cached weights of Model m (${key}) to free space` });
});

test("a record that was changed by hand is read as far as it is valid", () => {
  const data = { ...formatRecords([used]), x: "{}", [key.replace("a", "b")]: "not json", "../../etc": "{}" };
  assert.deepEqual(parseRecords(data), [used]);
  assert.deepEqual(parseRecords({ [key]: '{"model":1,"state":"cached"}' }), []);
  assert.deepEqual(parseRecords({ [key]: '{"model":"m","state":"root","bytes":-1}' }), []);
  assert.deepEqual(parseRecords(undefined), []);
});
