import assert from "node:assert/strict";
import { test } from "node:test";
import type { Pod } from "@trivium/kube";
import { type Fact, known } from "@trivium/std";
import { evictionLabel } from "../names.ts";
import { lowerEntries, nextTerm } from "./lower.ts";
import type { ObservedBudget } from "./observe.ts";
import { usesOfPod } from "./observed/cache-uses.ts";
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
  const models = [{ name: "m", key: "b".repeat(16), source: "hf://o/r", bytes: 995 }];
  const uses = [{ key: "b".repeat(16), is: "needs", by: "InferenceService s", since: "" } as const];
  const old: CacheRecord = { ...used, lastUsed: "2026-11-01T00:00:00Z" };
  const [gone, own] = lowerEntries("a", world(known([old]), { models, uses }), now);
  assert.equal(gone?.record?.state, "evicting");
  assert.deepEqual(own?.grant, { is: "making", why: `Deleting cached weights of Model m (${key}) to free space` });
});

test("weights of deleted Models stay for a while, then go; what was not downloaded whole goes too", () => {
  const keepSeconds = 600;
  const source = "hf://org/repo";
  for (const state of ["cached", "granted"] as const) {
    const left: CacheRecord = { ...used, source, state };
    const [first] = lowerEntries("a", world(known([left]), { keepSeconds }), now);
    const waiting = { ...left, lastUsed: "2026-11-16T04:00:00Z" };
    assert.deepEqual(first?.record, waiting);
    const after = (milliseconds: number) =>
      lowerEntries("a", world(known([waiting]), { keepSeconds }), now + milliseconds);
    assert.equal(nextTerm(after(60_000), world(known([waiting]), { keepSeconds }), now + 60_000), 540_000);
    assert.equal(after(599_000)[0]?.record?.state, state);
    assert.deepEqual(after(600_000)[0]?.record, { ...waiting, state: "evicting" });
    assert.equal(after(600_000)[0]?.isRemovable, false, "recorded first");
    const [going] = lowerEntries(
      "a",
      world(known([{ ...waiting, state: "evicting" }]), { keepSeconds }),
      now + 600_001,
    );
    assert.deepEqual([going?.isRemovable, going?.source], [true, source]);
  }
  const models = [{ name: "m", key, source, bytes: 5 }];
  const [kept] = lowerEntries("a", world(known([used]), { keepSeconds, models }), now + 10 * 600_000);
  assert.equal(kept?.record?.state, "cached", "a Model still has them");
});

test("weights of a deleted Model that are used again stay, also where a Job for them waits", () => {
  const leaving: CacheRecord = { ...used, state: "evicting", lastUsed: "2026-11-16T03:00:00Z" };
  const uses = [{ key, is: "reads", by: "Pod p", since: "" } as const];
  const evictions = [{ key, is: "running" } as const];
  const more = { keepSeconds: 600, uses, evictions };
  const [kept] = lowerEntries("a", world(known([leaving]), more), now);
  assert.deepEqual([kept?.record?.state, kept?.isRemovable], ["cached", false]);
  const needed = { ...leaving, needed: "other" };
  const [going] = lowerEntries("a", world(known([needed]), more), now);
  assert.equal(going?.isRemovable, true, "another Model waits for the space, and services wait for the Job");
});

test("pods use the directories that they fill, and those that their paths name; the pods that delete do not", () => {
  const volumes = [{ name: "c", persistentVolumeClaim: { claimName: "llmkube-model-cache" } }];
  const pod = (spec: object, labels = {}) =>
    usesOfPod({ apiVersion: "v1", kind: "Pod", metadata: { name: "p", labels }, spec: { volumes, ...spec } } as Pod);
  const server = { name: "s", image: "i", args: ["--model", `/model-source/${key}/m.gguf`] };
  assert.deepEqual(pod({ containers: [server] }), [{ key, is: "reads", by: "Pod p", since: "" }]);
  const mount = { name: "s", image: "i", volumeMounts: [{ name: "c", mountPath: "/m", subPath: key }] };
  assert.equal(pod({ containers: [mount] })[0]?.key, key);
  const fill = { name: "f", image: "i", args: ["fetch", "hf://o/r", "--to", `/models/${key}`] };
  assert.deepEqual(pod({ containers: [{ ...server, args: [`/models/${key}/m`] }], initContainers: [fill] }).length, 1);
  assert.deepEqual(pod({ containers: [server] }, { [evictionLabel]: key }), []);
  assert.deepEqual(pod({ containers: [{ name: "s", image: "i", args: ["--seed", "aaaa"] }] }), []);
});

test("a record that was changed by hand is read as far as it is valid", () => {
  const data = { ...formatRecords([used]), x: "{}", [key.replace("a", "b")]: "not json", "../../etc": "{}" };
  assert.deepEqual(parseRecords(data), [used]);
  assert.deepEqual(parseRecords({ [key]: '{"model":1,"state":"cached"}' }), []);
  assert.deepEqual(parseRecords({ [key]: '{"model":"m","state":"root","bytes":-1}' }), []);
  assert.deepEqual(parseRecords(undefined), []);
});
