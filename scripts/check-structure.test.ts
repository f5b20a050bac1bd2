import assert from "node:assert/strict";
import { test } from "node:test";
import { typesIn } from "./structure/condition-types.ts";
import { exceptions, judgeFaults } from "./structure/exceptions.ts";
import { exportedNames, findUnusedExports } from "./structure/exports.ts";
import { importsOf, knotsOf } from "./structure/import-graph.ts";
import {
  findConditionTypes,
  findCycles,
  findEmittersInLower,
  findForms,
  findLargeFolders,
  findLongFiles,
  findMessageMatching,
  findSharedHooks,
  findWrittenObjects,
} from "./structure/rules.ts";

const file = (path: string, text = "") => ({ path: `packages/${path}`, text });
const placesOf = (faults: readonly { place: string }[]) => faults.map(({ place }) => place);

test("imports are told apart from imports of types alone", () => {
  const text = [
    'import { a } from "./a.ts";',
    'import type { B } from "./b.ts";',
    'import { type C, type D } from "./c.ts";',
    'import { type E, f } from "./e.ts";',
    "export {\n  type G,\n  h,\n} from './g.ts';",
    'import "./i.ts";',
    '// import { x } from "./x.ts";',
  ].join("\n");
  assert.deepEqual(
    importsOf(text).map(({ target, isType }) => `${target} ${isType ? "type" : "value"}`),
    ["./a.ts value", "./b.ts type", "./c.ts type", "./e.ts value", "./g.ts value", "./i.ts value"],
  );
});

test("knots are the files that reach each other", () => {
  const edges = ["ab", "bc", "ca", "cd", "de"].map((edge) => ({ from: edge.charAt(0), to: edge.charAt(1) }));
  assert.deepEqual(knotsOf(edges), [["a", "b", "c"]]);
});

test("two files that need each other are refused, a few that share types are not", () => {
  const value = [
    file("base/std/src/a.ts", 'import { b } from "./b.ts";'),
    file("base/std/src/b.ts", 'import { a } from "./a.ts";'),
  ];
  assert.match(findCycles(value)[0]?.what ?? "", /^2 files import each other: .*a\.ts, .*b\.ts/);
  const ring = (size: number) =>
    Array.from({ length: size }, (_, i) =>
      file(`base/std/src/f${i}.ts`, `import type { T } from "./f${(i + 1) % size}.ts";`),
    );
  assert.deepEqual(findCycles(ring(5)), []);
  assert.match(findCycles(ring(6))[0]?.what ?? "", /^6 files import each other's types/);
});

test("a folder with more than 22 source files is refused; tests do not count", () => {
  const of = (count: number) => Array.from({ length: count }, (_, i) => file(`base/std/src/f${i}.ts`));
  assert.deepEqual(findLargeFolders([...of(22), file("base/std/src/a.test.ts")]), []);
  assert.deepEqual(placesOf(findLargeFolders(of(23))), ["packages/base/std/src"]);
});

test("a source file of more than 400 lines is refused; tests, tables of fields and generated files are not", () => {
  const long = "a;\n".repeat(401);
  const exempt = ["a.test.ts", "kinds/b.ts", "generated/c.ts"].map((path) => file(`base/kube/src/${path}`, long));
  assert.deepEqual(findLongFiles([file("base/kube/src/d.ts", "a;\n".repeat(400)), ...exempt]), []);
  assert.deepEqual(placesOf(findLongFiles([file("base/kube/src/d.ts", long)])), ["packages/base/kube/src/d.ts"]);
});

test("a kind of a dialect has the same files as every other, and its events in events.ts", () => {
  const of = (name: string, text = "") => file(`dialects/x/src/kind/${name}`, text);
  const good = ["reconciler.ts", "observe.ts", "lower.ts", "raise.ts", "lower.test.ts"].map((name) => of(name));
  assert.deepEqual(findForms([...good, of("pod/plan.ts")]), []);
  assert.deepEqual(findForms([of("plan.ts")]), []);
  assert.match(findForms(good.filter(({ path }) => !path.endsWith("/lower.ts")))[0]?.what ?? "", /^has no lower\.ts/);
  assert.match(findForms([...good, of("decide.ts")])[0]?.what ?? "", /^move decide\.ts into/);
  const note = 'const a = { type: "Warning", reason: "R", message: "M" };';
  assert.match(findForms([...good.slice(0, -2), of("raise.ts", note)])[0]?.what ?? "", /^raise\.ts writes an event/);
  assert.deepEqual(findForms([...good, of("events.ts", note)]), []);
});

test("an emitter that lower.ts leads to is refused, however far; its types are not", () => {
  const lower = file("dialects/x/src/kind/lower.ts", 'import { plan } from "./roles/plan.ts";');
  const plan = (text: string) => file("dialects/x/src/kind/roles/plan.ts", text);
  const emitter = 'import { emitDeployment } from "@trivium/emitters";';
  assert.deepEqual(placesOf(findEmittersInLower([lower, plan(emitter)])), [plan("").path]);
  assert.deepEqual(findEmittersInLower([lower, plan(emitter.replace("import", "import type"))]), []);
  assert.deepEqual(findEmittersInLower([file("dialects/x/src/kind/reconciler.ts", emitter)]), []);
});

test("code that matches a message is refused; code that shortens one is not", () => {
  const bad = [
    'if (error.message.includes("denied")) return 1;',
    'return condition?.message?.startsWith("Downloading");',
    "const found = /attempt (\\d+)/.exec(message)?.[1];",
    "const isBad = pattern.test(failure.message);",
    "switch (status.message) {",
    'if ((error as Error).message.startsWith("Get ")) return 1;',
    'const isFull = /no space/i.test(warning.value.message ?? "");',
    'return error.message\n    .includes("denied");',
    'if (error.message === "not found") return 1;',
    'const isGone = lastMessage.endsWith("gone");',
    "const found = pattern.exec(cleanMessage(error.message))?.groups;",
  ];
  for (const text of bad) assert.equal(findMessageMatching([file("core/x/src/a.ts", text)]).length, 1, text);
  const good = [
    "message.slice(0, 80);",
    "messages.includes(one);",
    "pattern.test(name) ? message : other;",
    'error.message === "" ? other : error.message;',
    "const messages = all.filter((one) => names.includes(one));",
  ];
  for (const text of good) assert.deepEqual(findMessageMatching([file("core/x/src/a.ts", text)]), [], text);
});

test("a Kubernetes object that a dialect writes by hand is refused; a reference and its own kinds are not", () => {
  const of = (text: string) => findWrittenObjects([file("dialects/x/src/kind/a.ts", text)]);
  const written = 'const object = {\n  apiVersion: "v1",\n  kind: "ConfigMap",\n  metadata: { name },\n};';
  assert.match(of(written)[0]?.what ?? "", /writes a ConfigMap by hand/);
  for (const text of [
    'const target = { apiVersion: "apps/v1", kind: "Deployment", name };',
    "const own = { apiVersion: apiVersionOf(Own), kind: Own.kind, metadata: { name } };",
  ])
    assert.deepEqual(of(text), [], text);
});

test("an export of an entry that no other package imports is refused; its own tests do not count", () => {
  const entry = file(
    "base/std/src/index.ts",
    'export * from "./a.ts";\nexport { b, type C as D } from "./b.ts";\nexport type * as api from "./c.ts";',
  );
  const a = file("base/std/src/a.ts", "export interface A {}\nexport async function run() {}\nconst hidden = 1;");
  const own = file("base/std/tests/a.test.ts", 'import { b } from "@trivium/std";');
  const texts = new Map([entry, a].map(({ path, text }) => [path, text]));
  assert.deepEqual(exportedNames(entry.path, texts), ["A", "run", "api", "b", "D"]);
  const user = (text: string) => file("base/kube/src/k.ts", text);
  const faultsFor = (text: string) => findUnusedExports([entry, a, own, user(text)]).map(({ what }) => what);
  assert.match(faultsFor("")[0] ?? "", /: A, run, api, b, D; remove it from the entry/);
  assert.match(faultsFor('import { type A, b as c, run } from "@trivium/std";')[0] ?? "", /: api, D;/);
  assert.deepEqual(faultsFor('const { A, run, api, b, D } = await import("@trivium/std");'), []);
  assert.deepEqual(faultsFor('export {\n  type A,\n  type D,\n  type api,\n  b,\n  run,\n} from "@trivium/std";'), []);
});

test("an app that knows a condition of a dialect is refused; those of Kubernetes are free", () => {
  const app = (text: string) => [{ path: "apps/cli/src/a.ts", text }];
  const types = ["Ready", "RoutingReady"];
  assert.deepEqual(placesOf(findConditionTypes(app('find("RoutingReady")'), types)), ["apps/cli/src/a.ts"]);
  assert.deepEqual(findConditionTypes(app('find("Ready")'), types), []);
  assert.deepEqual(
    typesIn("const v = {\n  conditions: {\n    Ready: [],\n    Resolved: [\n      1,\n    ],\n  },\n};"),
    ["Ready", "Resolved"],
  );
});

test("a hook for the tests of all files of a process is refused, one inside of describe is not", () => {
  const tests = (text: string) => [file("base/std/src/a.test.ts", text)];
  assert.deepEqual(placesOf(findSharedHooks(tests("let a;\nbeforeEach(() => {});"))), [
    "packages/base/std/src/a.test.ts",
  ]);
  assert.deepEqual(findSharedHooks(tests('describe("a", () => {\n  afterEach(() => {});\n});')), []);
});

test("an exception covers its place, and one that is not needed is refused", () => {
  const fault = { rule: "message", place: "a", what: "matches" } as const;
  const exception = { rule: "message", place: "a", why: "old" } as const;
  assert.deepEqual(judgeFaults([fault], [exception]), []);
  assert.deepEqual(judgeFaults([fault], []), ['a: matches (rule "message")']);
  assert.match(judgeFaults([], [exception])[0] ?? "", /^a keeps rule "message"; remove it/);
  assert.deepEqual(
    exceptions.filter(({ why }) => why === ""),
    [],
  );
});
