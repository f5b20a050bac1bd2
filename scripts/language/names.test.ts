import assert from "node:assert/strict";
import test from "node:test";
import { findNames } from "./names.ts";

const refused = (source: string): string[] => findNames(source).map(({ name, line }) => `${line} ${name}`);

test("refuses declared names that a reader has to guess at", () => {
  assert.deepEqual(refused("export interface PodWish {\n  readonly verdict: string;\n}"), ["1 PodWish", "2 verdict"]);
  assert.deepEqual(refused("type ServiceQuestion = Question;"), ["1 ServiceQuestion"]);
  assert.deepEqual(refused("function cleanWords() {}"), ["1 cleanWords"]);
  assert.deepEqual(refused("class A {\n  readonly #lastWords = 1;\n}"), ["2 lastWords"]);
});

test("leaves plain names, comments, uses and texts alone", () => {
  assert.deepEqual(refused("// the verdict of const wish\nconst outcome = other.verdict;"), []);
  assert.deepEqual(refused('const seen = new Set(["scribe"]);\nconst wishlist = 1;'), []);
  assert.deepEqual(refused("const question = 1;\nconst lookUp = 1;\ninterface Query {}"), []);
});

test("says what to use instead", () => {
  assert.deepEqual(findNames("interface PodSeen {}"), [{ name: "PodSeen", line: 1, instead: "Observed…" }]);
});
