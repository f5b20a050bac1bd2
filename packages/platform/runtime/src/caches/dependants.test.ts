import assert from "node:assert/strict";
import { test } from "node:test";
import { ConfigMap, type KubeObject, Secret } from "@trivium/kube";
import type { Part, Where } from "@trivium/reconcile";
import fc from "fast-check";
import { Dependants } from "./dependants.ts";
import { type Read, readOfAnswer, readOfList, readOfObject, readOfOwned } from "./reads.ts";
import { matchesWhere } from "./where.ts";

const reads = (...list: Read[]) => new Map(list.map((read) => [read.token, read]));
const object = (name: string, labels: Record<string, string> = {}, namespace = "default"): KubeObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace, labels },
});

test("an object that was read wakes its reader, whether it was there or not, and only that one", () => {
  const dependants = new Dependants();
  dependants.record("r1", reads(readOfObject(ConfigMap, { namespace: "default", name: "a" })));
  dependants.record("r2", reads(readOfObject(ConfigMap, { namespace: "other", name: "a" })));
  dependants.record("r3", reads(readOfObject(Secret, { namespace: "default", name: "a" })));
  assert.deepEqual([...dependants.touchedBy({ kind: ConfigMap, next: object("a") })], ["r1"]);
  assert.deepEqual([...dependants.touchedBy({ kind: ConfigMap, old: object("a") })], ["r1"]);
});

test("what was read before and is not any more does not wake", () => {
  const orphans: string[] = [];
  const dependants = new Dependants((token) => orphans.push(token));
  dependants.record("r1", reads(readOfAnswer("price red"), readOfList(ConfigMap, { labels: { a: "1" } })));
  dependants.record("r2", reads(readOfAnswer("price red")));
  dependants.record("r1", reads());
  assert.deepEqual([...dependants.touchedBy({ kind: ConfigMap, next: object("x", { a: "1" }) })], []);
  assert.equal(dependants.isRead("answer price red"), true);
  dependants.forget("r2");
  assert.deepEqual(orphans.at(-1), "answer price red");
  assert.equal(dependants.isRead("answer price red"), false);
});

test("an object that leaves a list wakes the list's reader as one that enters it does", () => {
  const dependants = new Dependants();
  dependants.record("one", reads(readOfList(ConfigMap, { namespace: "default", labels: { a: "1" } })));
  dependants.record("two", reads(readOfList(ConfigMap, { namespace: "default", labels: { a: "2" } })));
  dependants.record("three", reads(readOfList(ConfigMap, { labels: { a: "3" } })));
  const change = { kind: ConfigMap, old: object("x", { a: "1" }), next: object("x", { a: "2" }) };
  assert.deepEqual([...dependants.touchedBy(change)].sort(), ["one", "two"]);
});

test("what belongs to an object triggers its reader, of the kinds that the reader writes and no others", () => {
  const owned = (uid: string): KubeObject => {
    const made = object("child");
    made.metadata.ownerReferences = [{ apiVersion: "v1", kind: "X", name: "x", uid }];
    return made;
  };
  const dependants = new Dependants();
  const written = new Set(["configmaps"]);
  for (const uid of ["u1", "u2"]) dependants.record(uid, reads(), [readOfOwned("maker", written, uid)]);
  dependants.record("other", reads(), [readOfOwned("other", new Set(["secrets"]), "u1")]);
  assert.deepEqual([...dependants.touchedBy({ kind: ConfigMap, next: owned("u1") })], ["u1"]);
  assert.deepEqual([...dependants.touchedBy({ kind: Secret, next: owned("u1") })], ["other"]);
  const change = { kind: ConfigMap, old: owned("u1"), next: owned("u2") };
  assert.deepEqual([...dependants.touchedBy(change)].sort(), ["u1", "u2"]);
  dependants.forget("u1");
  assert.deepEqual([...dependants.touchedBy(change)], ["u2"]);
});

test("what was compared with stays until a pass decides again", () => {
  const dependants = new Dependants();
  const [a, b, c] = ["a", "b", "c"].map((name) => readOfObject(ConfigMap, { namespace: "default", name })) as [
    Read,
    Read,
    Read,
  ];
  const readersOf = () =>
    ["a", "b", "c"].map((name) => [...dependants.touchedBy({ kind: ConfigMap, next: object(name) })]);
  dependants.record("r", reads(a), [b]);
  assert.deepEqual(readersOf(), [["r"], ["r"], []]);
  dependants.record("r", reads(c));
  assert.deepEqual(readersOf(), [[], ["r"], ["r"]]);
  dependants.record("r", reads(b));
  assert.deepEqual(readersOf(), [[], ["r"], []]);
  dependants.record("r", reads(a));
  assert.deepEqual(readersOf(), [["r"], ["r"], []]);
  dependants.record("r", reads(a), []);
  assert.deepEqual(readersOf(), [["r"], [], []]);
});

test("who reads a part of objects is triggered by its changes alone, and by objects that get or lose it", () => {
  const entry = (key: string): Part<ConfigMap, string | undefined> => ({
    name: `entry ${key}`,
    of: ({ data }) => data?.[key],
  });
  const report = (data: Record<string, string>, labels = { report: "yes" }) => ({ ...object("n", labels), data });
  const where = { labels: { report: "yes" } };
  const dependants = new Dependants();
  for (const key of ["a", "b"]) dependants.record(key, reads(readOfList(ConfigMap, where, entry(key))));
  dependants.record("one", reads(readOfObject(ConfigMap, { namespace: "default", name: "n" }, entry("a"))));
  dependants.record("whole", reads(readOfList(ConfigMap, where)));
  const touched = (old?: KubeObject, next?: KubeObject) =>
    [...dependants.touchedBy({ kind: ConfigMap, old, next })].sort();
  assert.deepEqual(touched(report({ a: "1" }), report({ a: "2" })), ["a", "one", "whole"]);
  assert.deepEqual(touched(report({ a: "1" }), report({ a: "1", b: "1" })), ["b", "whole"]);
  assert.deepEqual(touched(report({ a: "1", b: "1" }), report({ a: "1", b: "1", c: "1" })), ["whole"]);
  assert.deepEqual(touched(report({ a: "1" }), report({ a: "1" }, { report: "no" })), ["a", "whole"]);
  assert.deepEqual(touched(undefined, report({ b: "1" })), ["b", "one", "whole"], "one that is looked up by name");
  assert.deepEqual(touched(report({ c: "1" })), ["one", "whole"]);
  dependants.forget("a");
  assert.deepEqual(touched(report({ a: "1" }), report({ a: "2" })), ["one", "whole"]);
});

test("lists are woken exactly by what matches them, however they are indexed", () => {
  const labels = fc.dictionary(fc.constantFrom("a", "b"), fc.constantFrom("1", "2"));
  const where: fc.Arbitrary<Where> = fc.record(
    {
      namespace: fc.constantFrom("default", "other"),
      labels,
      owner: fc.constantFrom("o1", "o2"),
      fields: fc.dictionary(fc.constantFrom("data.a", "data.b"), fc.constantFrom("1", "2")),
    },
    { requiredKeys: [] },
  );
  const state = fc.record({
    labels,
    namespace: fc.constantFrom("default", "other"),
    owners: fc.subarray(["o1", "o2"]),
    data: labels,
  });
  fc.assert(
    fc.property(fc.array(where, { maxLength: 12 }), fc.option(state), state, (wheres, before, after) => {
      const dependants = new Dependants();
      wheres.forEach((each, i) => {
        dependants.record(`r${i}`, reads(readOfList(ConfigMap, each)));
      });
      const make = (one: typeof after): KubeObject => {
        const base = { ...object("x", one.labels, one.namespace), data: one.data };
        base.metadata.ownerReferences = one.owners.map((uid) => ({ apiVersion: "v1", kind: "X", name: "x", uid }));
        return base;
      };
      const old = before === null ? undefined : make({ ...before, namespace: after.namespace });
      const next = make(after);
      const woken = new Set(dependants.touchedBy({ kind: ConfigMap, old, next }));
      wheres.forEach((each, i) => {
        const isTouched = matchesWhere(each, next) || (old !== undefined && matchesWhere(each, old));
        assert.equal(woken.has(`r${i}`), isTouched);
      });
    }),
  );
});
