import assert from "node:assert/strict";
import { test } from "node:test";
import { absent, known, pending, unreachable } from "@trivium/std";
import { hasUnresolved, tolerate } from "./index.ts";

const rows: readonly (readonly [name: string, observed: unknown, expected: boolean])[] = [
  ["nothing", undefined, false],
  ["known and absent facts", { model: known({ name: "a" }), route: absent }, false],
  ["a pending fact", { model: pending }, true],
  ["an unreachable fact", { model: unreachable("no answer") }, true],
  ["inside a list", { nodes: [{ node: known(1) }, { node: pending }] }, true],
  ["inside a known fact", { model: known({ image: unreachable("timeout") }) }, true],
  ["a tolerated fact", { header: tolerate(pending), model: known(1) }, false],
  ["beside a tolerated fact", { header: tolerate(pending), model: pending }, true],
  ["another union with the same word", { choice: { is: "pending", until: 5 } }, false],
  ["what a user wrote into a spec", known({ spec: { is: "pending" } }), false],
  ["a question about a pod", { pods: [{ name: "a", log: pending }] }, false],
  ["text that reads like a fact", { phase: "pending" }, false],
];

for (const [name, observed, expected] of rows) {
  test(`unresolved: ${name}`, () => assert.equal(hasUnresolved(observed), expected));
}
