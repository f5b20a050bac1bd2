import assert from "node:assert/strict";
import { test } from "node:test";
import type { Schema } from "@trivium/schema";
import { deepFreeze, type Json, type JsonObject } from "@trivium/std";
import fc from "fast-check";
import { builtInSchema } from "../built-in.ts";
import type { AnyObject } from "../object.ts";
import { isEmptySet } from "./fields/field-set.ts";
import { PatchError } from "./patch/patch-error.ts";
import { applyStrategicMergePatch } from "./patch/strategic.ts";
import { applyServerSide } from "./server-side-apply.ts";
import { trackUpdate } from "./track-update.ts";

const deployments = builtInSchema("apps", "v1", "Deployment") as Schema;
const configMaps = builtInSchema("", "v1", "ConfigMap") as Schema;

/** Keys that mean something to the schema or to the patch, with values that mostly do not fit. */
const key = fc.constantFrom(
  "replicas",
  "template",
  "spec",
  "containers",
  "name",
  "ports",
  "$patch",
  "$retainKeys",
  "__proto__",
  "a",
);
const { tree } = fc.letrec<{ tree: Json }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 5 },
    fc.constantFrom<Json>(null, true, 1, 1.5, "x", "delete", "replace", [], {}),
    fc.array(tie("tree"), { maxLength: 3 }),
    fc.array(fc.tuple(key, tie("tree")), { maxLength: 4 }).map((entries) => Object.fromEntries(entries) as Json),
  ),
}));
const deployment = tree.map(
  (spec) => deepFreeze({ apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "d" }, spec }) as AnyObject,
);

test("whatever is stored or sent, only patches are refused and nothing else breaks", () => {
  fc.assert(
    fc.property(deployment, deployment, fc.boolean(), (live, next, force) => {
      trackUpdate({ next, schema: deployments, manager: "m", now: 0 });
      trackUpdate({ live, next, schema: deployments, manager: "m", now: 0 });
      onlyPatchErrors(() => applyServerSide({ live, applied: next, schema: deployments, manager: "m", force, now: 0 }));
      onlyPatchErrors(() => applyStrategicMergePatch(live as unknown as Json, next as unknown as Json, deployments));
    }),
    { numRuns: 1000 },
  );
});

function onlyPatchErrors(run: () => unknown): void {
  try {
    run();
  } catch (error) {
    if (!(error instanceof PatchError)) throw error;
  }
}

const data = fc.dictionary(fc.constantFrom("a", "b", "c"), fc.constantFrom("1", "2"));
const steps = fc.array(fc.record({ manager: fc.constantFrom("m1", "m2"), data, isUpdate: fc.boolean() }), {
  maxLength: 8,
});

function play(history: readonly { manager: string; data: JsonObject; isUpdate: boolean }[]): AnyObject | undefined {
  let live: AnyObject | undefined;
  for (const { manager, data, isUpdate } of history) {
    const next: AnyObject = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c", uid: "u" }, data };
    if (isUpdate) {
      const managedFields = trackUpdate({ live, next, schema: configMaps, manager, now: 0 });
      live = { ...next, metadata: { ...next.metadata, managedFields } };
      continue;
    }
    const result = applyServerSide({ live, applied: next, schema: configMaps, manager, force: true, now: 0 });
    assert.ok("object" in result);
    live = result.object;
  }
  return live;
}

/**
 * Not for empty data: an empty map is owned but not stored, so the next apply of it adds it again and takes it from whoever
 * else owns it. A real server does the same.
 */
const someData = data.filter((given) => Object.keys(given).length > 0);

test("after any history applying again what was applied last changes nothing", () => {
  fc.assert(
    fc.property(steps, someData, (history, last) => {
      const once = play([...history, { manager: "m1", data: last, isUpdate: false }]);
      const twice = play([
        ...history,
        { manager: "m1", data: last, isUpdate: false },
        { manager: "m1", data: last, isUpdate: false },
      ]);
      assert.deepEqual(twice, once);
    }),
  );
});

test("after any history a forced apply has its way, and nobody owns what is not there", () => {
  fc.assert(
    fc.property(steps, data, (history, last) => {
      const live = play([...history, { manager: "m1", data: last, isUpdate: false }]);
      const found = (live?.data ?? {}) as JsonObject;
      for (const [name, value] of Object.entries(last)) assert.equal(found[name], value);
      for (const { fieldsV1 = {} } of live?.metadata.managedFields ?? []) {
        assert.equal(isEmptySet(fieldsV1), false);
        const owned = Object.keys((fieldsV1["f:data"] ?? {}) as object).filter((name) => name !== ".");
        for (const name of owned) assert.ok(name.slice(2) in found, name);
      }
    }),
  );
});
