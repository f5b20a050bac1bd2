import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, test } from "node:test";
import { type AnyObject, admitObject, apiVersionOf, type KubeObject } from "@trivium/kube";
import { formatFieldError } from "@trivium/schema";
import type { JsonObject } from "@trivium/std";
import { readCases } from "@trivium/testkit";
import { newerTerms } from "../src/eai/dialect.ts";
import { toNewer, toOlder } from "../src/eai/objects.ts";
import { newerNameOf } from "../src/eai/translate-reconciler.ts";
import { aim, aimDefaults, aimEai, createAim } from "../src/index.ts";

/** What decides, with the words of the newer group. */
const { reconcilers } = createAim(aimDefaults, newerTerms);

const folders = [
  "runtime-config",
  "model",
  "template",
  "model-source",
  "service",
  "model-cache",
  "template-cache",
  "kv-cache",
];

/** What the schema of the newer group says against an object; nothing for objects of other APIs. */
function faultsOf(object: KubeObject): string[] {
  if (object.apiVersion === apiVersionOf(aim.serviceKind)) return [`${object.kind} is of the older group`];
  const kind = aimEai.kinds.find((one) => one.kind === object.kind && apiVersionOf(one) === object.apiVersion);
  if (kind === undefined) return [];
  const { faults, unknown } = admitObject(kind, object as unknown as JsonObject);
  return [...faults.map(formatFieldError), ...unknown.map((field) => `unknown field ${field}`)];
}

/** The runtime writes the times of conditions. */
function withTimes(status: JsonObject): JsonObject {
  const conditions = (status.conditions ?? []) as JsonObject[];
  return { ...status, conditions: conditions.map((one) => ({ lastTransitionTime: "2026-01-01T00:00:00Z", ...one })) };
}

for (const folder of folders) {
  describe(`cases of ${folder} in the newer group`, () => {
    for (const { name, object, observed, now } of readCases(join(import.meta.dirname, "../src", folder, "cases"))) {
      const older = reconcilers.find(({ kind }) => kind.kind === object.kind);
      const newer = aimEai.reconcilers.find((one) => one.name === newerNameOf(older?.name ?? ""));
      // Older names of kinds do not exist there.
      if (older === undefined || newer === undefined) continue;
      test(name, () => {
        const before = toNewer(object as AnyObject);
        const after = newer.decide(before, observed, now);
        const expected = older.decide(toOlder(before), observed, now);
        assert.equal(after.do, expected.do);
        if (after.do === "release" || expected.do === "release") return;
        assert.deepEqual(faultsOf({ ...before, status: withTimes(after.status as JsonObject) } as KubeObject), []);
        assert.deepEqual(toOlder({ ...before, status: after.status } as AnyObject).status, expected.status);
        if (after.do === "hold" || expected.do === "hold") return;
        const children = after.children.flatMap((child) => (child.keep ? [] : child.object));
        assert.deepEqual(children.flatMap(faultsOf), []);
        assert.equal(after.children.length, expected.children.length);
      });
    }
  });
}

test("objects of the newer group come back unchanged", () => {
  const objects = folders.flatMap((folder) => readCases(join(import.meta.dirname, "../src", folder, "cases")));
  for (const { object } of objects) {
    const newer = toNewer(object as AnyObject);
    assert.deepEqual(toNewer(toNewer(newer)), newer);
    const { spec, ...rest } = toOlder(newer);
    const { spec: own, ...others } = object as AnyObject;
    assert.deepEqual(rest, others);
    // These have fields with several names, of which the newer group has one.
    if (!/^AIM(Service|TemplateCache)|ServiceTemplate$/.test(object.kind ?? "")) assert.deepEqual(spec, own);
  }
});
