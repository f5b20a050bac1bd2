import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import type { Json, JsonObject } from "@trivium/std";
import fc from "fast-check";
import { parse } from "yaml";
import { checkDecision } from "./check-decision.ts";
import { differenceOf } from "./difference.ts";
import { formatChange } from "./format.ts";
import { applyPatch } from "./patch.ts";
import { readCases, readCaseTexts, type SavedCase } from "./read-cases.ts";

const golden = `
about: a service runs
now: 2026-11-01T12:00:00Z
object: { apiVersion: v1, kind: Sample, metadata: { name: chat }, spec: { replicas: 1 } }
observed:
  pods:
    - { name: chat-0, isReady: true }
decision:
  do: converge
  status: { conditions: [{ type: Ready, status: "True", message: 1 of 1 replicas ready }] }
`;
const casesOf = (texts: Record<string, string>): SavedCase[] =>
  readCaseTexts(new Map(Object.entries({ runs: golden, ...texts })));

describe("a case with a base", () => {
  const saved = casesOf({
    starts: `
about: the pod is not ready yet
base: runs
change:
  now: 2026-11-01T12:01:00Z
  object.spec.replicas: 2
  observed.pods.chat-0.isReady: false
expect:
  status.conditions.Ready: { status: "False", message: 0 of 1 replicas ready }
`,
    waits: "about: nothing else is there\nbase: starts\nchange: { observed.pods.chat-0: null }\n",
  });

  test("has the world and the decision of its base with what it changes", () => {
    const starts = saved.find(({ name }) => name === "starts") ?? assert.fail();
    assert.equal(starts.now, Date.parse("2026-11-01T12:01:00Z"));
    assert.deepEqual((starts.object as unknown as { spec: unknown }).spec, { replicas: 2 });
    assert.deepEqual(starts.observed, { pods: [{ name: "chat-0", isReady: false }] });
    const conditions = [{ type: "Ready", status: "False", message: "0 of 1 replicas ready" }];
    assert.deepEqual(starts.decision, { do: "converge", status: { conditions } });
  });

  test("can be the base of another", () => {
    const waits = saved.find(({ name }) => name === "waits");
    assert.deepEqual(waits?.observed, { pods: [] });
    assert.deepEqual(waits?.decision, waits?.base?.decision);
  });

  test("fails where the decision differs from the base anywhere outside what it expects", () => {
    const [runs, starts] = saved;
    assert.ok(runs !== undefined && starts !== undefined);
    const expected = starts.decision as JsonObject;
    checkDecision(starts, (one) => (one === runs ? runs.decision : expected) as Json, { update: false });
    const [, other] = casesOf({ starts: "about: the same\nbase: runs\nchange: {}\n" });
    assert.ok(other !== undefined);
    const more = { ...(runs.decision as JsonObject), recheckIn: 5 };
    assert.throws(
      () => checkDecision(other, (one) => (one === other ? more : runs.decision) as Json, { update: false }),
      /recheckIn/,
    );
  });
});

describe("a broken case is refused with the reason", () => {
  const rows: readonly (readonly [string, string, RegExp])[] = [
    ["an unknown base", "base: gone", /gone\.yaml: base of a not found/],
    ["a base that leads back", "base: a", /a\.yaml: its base leads back to it: a -> a/],
    [
      "a path to remove",
      "base: runs\nchange: { object.spec.gone: null }",
      /a\.yaml: object\.spec\.gone does not exist/,
    ],
    [
      "an item to change",
      "base: runs\nchange: { observed.pods.chat-7.isReady: true }",
      /chat-7 does not exist.*chat-0/,
    ],
    ["a key", "base: runs\ndecision: {}", /a\.yaml: decision: a case has about, base, change, expect/],
    ["a time", "base: runs\nchange: { now: soon }", /a\.yaml: "now" must be a time/],
    ["a digest", "base: runs\nexpect: { status.digest: $changed }", /status\.digest: the base has no digest/],
    ["an order", "base: runs\nchange: { observed.pods: { $order: [x] } }", /\$order must name all items once: chat-0/],
  ];
  for (const [what, text, why] of rows)
    test(what, () =>
      assert.throws(() => casesOf({ a: `about: broken\n${text}\n` }).map(({ decision }) => decision), why),
    );
});

describe("the patch between two values", () => {
  const rows: readonly (readonly [string, Json, Json, Json])[] = [
    ["one path on one line", { a: { b: { c: 1, d: 1 } } }, { a: { b: { c: 2, d: 1 } } }, { "a.b.c": 2 }],
    ["null for what is gone", { a: 1, b: 2 }, { a: 1 }, { b: null }],
    ["items by name", [{ name: "x", v: 1 }, { name: "y" }], [{ name: "x", v: 2 }, { name: "y" }], { "x.v": 2 }],
    ["a name with a slash as it is", { "a.b/c": "1", d: "e" }, { "a.b/c": "2", d: "e" }, { "a.b/c": "2" }],
    ["a name with a dot in brackets", { "a.b": 1, c: 1 }, { "a.b": 2, c: 1 }, { "[a.b]": 2 }],
    ["a null of its own", { a: 1, b: 1 }, { a: null, b: 1 }, { a: { $replace: null } }],
    ["texts as a whole", { args: ["a", "b"] }, { args: ["b"] }, { args: ["b"] }],
    [
      "digests in annotations by their change",
      { "x.io/template": "0123456789abcdef", a: 1 },
      { "x.io/template": "fedcba9876543210", a: 1 },
      { "x.io/template": "$changed" },
    ],
  ];
  for (const [what, base, value, patch] of rows) test(what, () => assert.deepEqual(differenceOf(base, value), patch));

  test("leads from any value to any other, in the file as well", () => {
    const key = fc.constantFrom("a", "name", "type", "x.y", "x.io/z", "[b]", "$c", "is", "value");
    const { value } = fc.letrec<{ value: Json }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom<Json>(null, true, 1, "", "chat", "a\nb", "a text that is long enough to be shared by others"),
        fc.array(tie("value"), { maxLength: 4 }),
        fc.dictionary(key, tie("value"), { maxKeys: 4, noNullPrototype: true }),
      ),
    }));
    fc.assert(
      fc.property(value, value, (a, b) => {
        const patch = differenceOf({ v: a }, { v: b });
        const read = parse(formatChange({ about: "x", change: patch ?? {} })) as { change: Json };
        assert.deepEqual(applyPatch({ v: a }, read.change), { v: b });
      }),
      { numRuns: 2000 },
    );
  });
});

test("an event is named by its reason, so that its type is part of what is expected", () => {
  const event = (type: string, reason: string) => ({ type, reason, message: "x" });
  const before = [event("Normal", "Created"), event("Warning", "Failed")];
  assert.deepEqual(differenceOf(before, [before[0] as Json, event("Normal", "Failed")]), { "Failed.type": "Normal" });
});

test("UPDATE_CASES writes what is expected and leaves the change as it was", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "cases-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const head = "about: changes\nbase: runs\nchange:\n  # why this matters\n  object.spec.replicas: 3\n";
  writeFileSync(join(folder, "runs.yaml"), golden);
  writeFileSync(join(folder, "a.yaml"), `${head}expect:\n  status.gone: null\n`);
  const [runs, a] = readCases(folder);
  assert.ok(runs !== undefined && a !== undefined);
  const decision = { ...(runs.decision as JsonObject), recheckIn: 5 };
  checkDecision(a, (one) => (one === a ? decision : runs.decision) as Json, { update: true });
  assert.equal(readFileSync(a.path, "utf8"), `${head}expect:\n  recheckIn: 5\n`);
});
