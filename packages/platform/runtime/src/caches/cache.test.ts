import assert from "node:assert/strict";
import { test } from "node:test";
import { ConfigMap } from "@trivium/kube";
import type { Where } from "@trivium/reconcile";
import fc from "fast-check";
import { FieldRecord } from "../apply/field-record.ts";
import { type Change, ObjectCache } from "./cache.ts";
import { matchesWhere } from "./where.ts";

function configMap(name: string, version: number, more: Partial<ConfigMap["metadata"]> = {}): ConfigMap {
  const metadata = { name, namespace: "default", uid: `uid-${name}`, resourceVersion: String(version), ...more };
  return { apiVersion: "v1", kind: "ConfigMap", metadata };
}

function rig() {
  const changes: string[] = [];
  const onChange = ({ old, next }: Change) => {
    const what = old === undefined ? "made" : next === undefined ? "gone" : "changed";
    changes.push(`${what} ${(next ?? old)?.metadata.name}`);
  };
  return { cache: new ObjectCache<ConfigMap>(ConfigMap, new FieldRecord(["me"]), onChange), changes };
}

test("events that were repeated or come late change nothing, not even after a deletion", () => {
  const { cache, changes } = rig();
  cache.put(configMap("a", 5));
  cache.put(configMap("a", 5));
  cache.put(configMap("a", 9));
  cache.put(configMap("a", 7));
  cache.remove(configMap("a", 12));
  cache.put(configMap("a", 9));
  cache.remove(configMap("a", 12));
  assert.deepEqual(changes, ["made a", "changed a", "gone a"]);
  assert.equal(cache.size, 0);
});

test("versions are compared as numbers of any length", () => {
  const { cache, changes } = rig();
  cache.put(configMap("a", 99));
  cache.put(configMap("a", 100));
  const long = configMap("a", 0, { resourceVersion: "123456789012345678901234567890" });
  cache.put(long);
  cache.put(configMap("a", 101));
  assert.deepEqual(changes, ["made a", "changed a", "changed a"]);
});

test("a whole list says what is gone, what is new and what was made anew under its name", () => {
  const { cache, changes } = rig();
  cache.replace([configMap("a", 1), configMap("b", 2), configMap("c", 3)], "3");
  changes.length = 0;
  cache.replace([configMap("a", 1), configMap("c", 8, { uid: "another" }), configMap("d", 7)], "8");
  assert.deepEqual(changes, ["changed c", "made d", "gone b"]);
});

test("a list after a restored backup counts from where it is, even if that is lower", () => {
  const { cache } = rig();
  cache.replace([configMap("a", 500)], "500");
  cache.replace([configMap("a", 20)], "20");
  cache.put(configMap("a", 21));
  assert.equal(cache.get({ namespace: "default", name: "a" })?.metadata.resourceVersion, "21");
});

test("objects are frozen to the ground and carry no managedFields", () => {
  const { cache } = rig();
  const fieldsV1 = { "f:data": { "f:x": {} } };
  cache.put(
    configMap("a", 1, { labels: { a: "b" }, managedFields: [{ manager: "me", operation: "Apply", fieldsV1 }] }),
  );
  const found = cache.get({ namespace: "default", name: "a" }) as ConfigMap;
  assert.equal(found.metadata.managedFields, undefined);
  assert.throws(() => {
    (found.metadata.labels as Record<string, string>).a = "c";
  }, TypeError);
});

test("whoever waits for a version is told when it, or any later one, was seen", async () => {
  const { cache } = rig();
  const reached: string[] = [];
  for (const version of ["30", "10", "20"]) cache.sightings.whenReached(version).then(() => reached.push(version));
  cache.put(configMap("a", 15));
  await Promise.resolve();
  assert.deepEqual(reached, ["10"]);
  cache.reach("40");
  await Promise.resolve();
  assert.deepEqual(reached, ["10", "20", "30"]);
  await cache.sightings.whenReached("40");
});

test("waiting for an object to leave ends at its deletion mark, its end, or its successor", async () => {
  const { cache } = rig();
  const ref = { namespace: "default", name: "a" };
  cache.put(configMap("a", 1));
  let left = 0;
  cache.whenLeaving(ref, "uid-a").then(() => left++);
  cache.put(configMap("a", 2));
  await Promise.resolve();
  assert.equal(left, 0);
  cache.put(configMap("a", 3, { deletionTimestamp: "2026-01-01T00:00:00Z" }));
  await Promise.resolve();
  assert.equal(left, 1);
  const gone = cache.whenGone(ref, "uid-a");
  cache.put(configMap("a", 4, { uid: "successor" }));
  await gone;
});

test("an indexed list is what a scan would find, in the order of names", () => {
  const meta = fc.record(
    {
      namespace: fc.constantFrom("n1", "n2"),
      labels: fc.dictionary(fc.constantFrom("a", "b"), fc.constantFrom("1", "2")),
      owner: fc.constantFrom("o1", "o2"),
      colour: fc.constantFrom("red", "blue"),
    },
    { requiredKeys: ["namespace"] },
  );
  const where: fc.Arbitrary<Where> = fc.record(
    {
      namespace: fc.constantFrom("n1", "n2"),
      labels: fc.dictionary(fc.constantFrom("a", "b"), fc.constantFrom("1", "2")),
      owner: fc.constantFrom("o1", "o2"),
      fields: fc.constantFrom({ "data.colour": "red" }, { "data.colour": "blue" }, { "data.none": "red" }),
    },
    { requiredKeys: [] },
  );
  const step = fc.record({ name: fc.constantFrom("p", "q", "r", "s"), meta: fc.option(meta) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), fc.array(where, { minLength: 1, maxLength: 8 }), (steps, wheres) => {
      const { cache } = rig();
      steps.forEach(({ name, meta }, i) => {
        if (meta === null) cache.remove(configMap(name, i + 1, { namespace: "n1" }));
        if (meta === null) return;
        const { owner, colour, ...rest } = meta;
        const ownerReferences = owner === undefined ? [] : [{ apiVersion: "v1", kind: "X", name: "x", uid: owner }];
        const object = configMap(name, i + 1, { ...(rest as object), ownerReferences });
        cache.put(colour === undefined ? object : { ...object, data: { colour } });
        // A field may be asked for before, between and after the objects come.
        cache.list(wheres[i % wheres.length] ?? {});
      });
      for (const each of wheres) {
        const scan = [...cache.values()].filter((object) => matchesWhere(each, object));
        const keys = (list: readonly ConfigMap[]) =>
          list.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
        assert.deepEqual(keys(cache.list(each)), keys(scan).sort());
      }
    }),
  );
});
