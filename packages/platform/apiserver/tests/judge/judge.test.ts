import assert from "node:assert/strict";
import test from "node:test";
import type { Json } from "@trivium/std";
import { compareRuns } from "./compare.ts";
import { readRows } from "./deliberate.ts";
import { installFixtures } from "./fixtures.ts";
import { judge } from "./judge.ts";
import { objectsOf, readDefinitions } from "./manifests.ts";
import { printDifferences } from "./print.ts";
import type { Answer } from "./run-sequence.ts";
import { sequence } from "./sequence.ts";
import { sequences } from "./sequences/index.ts";
import { maps } from "./sequences/kinds.ts";
import { startEmbedded } from "./servers.ts";

const place = { namespace: "judge-test-1", id: "x1x" };
const answer = (body: Json, status = 200): Answer => ({
  status,
  headers: { "content-type": "application/json" },
  body,
});
const object = (version: string, uid: string, more: object = {}): Json => ({
  kind: "ConfigMap",
  metadata: { name: "a", uid, resourceVersion: version, creationTimestamp: "2024-01-01T00:00:00Z" },
  ...more,
});
const one = "00000000-0000-0000-0000-000000000001";
const two = "00000000-0000-0000-0000-000000000002";
const reads = sequence("test/reads", maps.get("a"), maps.get("a"));
const placesOf = (real: Json[], embedded: Json[]): string[] =>
  compareRuns(
    reads,
    { real: real.map((body) => answer(body)), embedded: embedded.map((body) => answer(body)) },
    place,
  ).map(({ step, at }) => `${step} ${at}`);

test("what servers make up is set aside", () => {
  assert.deepEqual(placesOf([object("5", one), object("9", one)], [object("100", two), object("200", two)]), []);
});

test("relations between what servers make up are compared", () => {
  const [kept, moved] = [
    [object("5", one), object("5", one)],
    [object("5", one), object("6", one)],
  ];
  assert.deepEqual(placesOf(kept, moved), ["2 body.metadata.resourceVersion"]);
  assert.deepEqual(placesOf([object("5", one), object("6", two)], moved), [
    "2 body.metadata.uid",
    "2 body.metadata.resourceVersion",
  ]);
});

test("a value, a field, a type and a verdict that differ are found", () => {
  const found = (real: object, embedded: object) => placesOf([object("1", one, real)], [object("1", one, embedded)]);
  assert.deepEqual(found({ data: { a: "1" } }, { data: { a: "2" } }), ["1 body.data.a"]);
  assert.deepEqual(found({ data: { a: "1" } }, { data: {} }), ["1 body.data.a"]);
  assert.deepEqual(found({ data: [1, 2] }, { data: [1] }), ["1 body.data[1]"]);
  assert.deepEqual(found({ data: 1 }, { data: "1" }), ["1 body.data"]);
  const runs = { real: [answer(object("1", one), 201)], embedded: [answer({ kind: "Status", message: "no" }, 422)] };
  const [outcome] = compareRuns(reads, runs, place);
  assert.deepEqual([outcome?.at, outcome?.real, outcome?.embedded], ["status", "201", "422 no"]);
});

test("what is printed names the step and both words", () => {
  const runs = { real: [answer({ message: "yes" })], embedded: [answer({ message: "no" })] };
  const text = printDifferences(reads, compareRuns(reads, runs, place));
  for (const words of ["test/reads", "step 1: GET", "body.message", '"yes"', '"no"'])
    assert.ok(text.includes(words), text);
});

test("there are enough sequences, each with a name of its own", () => {
  const names = sequences.map(({ name }) => name);
  assert.equal(new Set(names).size, names.length);
  assert.ok(names.length >= 300);
  assert.ok(readDefinitions().flatMap((crd) => objectsOf(crd, 10)).length >= 200);
  assert.ok(readRows().length > 0);
});

test("two embedded servers answer alike, and never with a fault of their own", async () => {
  const faults: string[] = [];
  const [a, b] = await Promise.all([startEmbedded((fault) => faults.push(fault)), startEmbedded(() => undefined)]);
  const servers = { real: a.transport, embedded: b.transport, close: async () => {} };
  await installFixtures(servers);
  // Those about watches wait for seconds to pass, and show nothing more here.
  for (const each of sequences.filter(({ name }) => !/^(watch|versions|definitions)\//.test(name))) {
    const differences = await judge(each, servers);
    assert.equal(differences.length, 0, printDifferences(each, differences));
  }
  await Promise.all([a.close(), b.close()]);
  assert.deepEqual(faults, []);
});
