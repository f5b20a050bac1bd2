import assert from "node:assert/strict";
import { test } from "node:test";
import { parseFlags } from "./parse.ts";
import { settingsOf } from "./settings.ts";
import type { SpeculationSettings } from "./speculation.ts";

const read = (...args: string[]): SpeculationSettings | undefined =>
  settingsOf(parseFlags(["-m", "a.gguf", ...args], {})).model.speculation;

test("a draft model guesses, with or without a type", () => {
  for (const args of [
    ["-md", "d.gguf"],
    ["--spec-type", "draft-simple", "--model-draft", "d.gguf"],
  ])
    assert.deepEqual(read(...args), { draft: "d.gguf", min: 0, max: 16, minChance: 0.75, draftLayers: -1 });
  const set = read("-md", "d.gguf", "--draft-max", "4", "--draft-min", "2", "--draft-p-min", "0.5", "-ngld", "9");
  assert.deepEqual(set, { draft: "d.gguf", min: 2, max: 4, minChance: 0.5, draftLayers: 9 });
});

test("the text so far guesses", () => {
  for (const type of ["ngram-simple", "ngram-map-k", "ngram-map-k4v", "ngram-mod", "ngram-cache"])
    assert.equal(read("--spec-type", type)?.draft, undefined);
  assert.equal(read("--spec-type", "ngram-simple", "--spec-draft-n-max", "8")?.max, 8);
});

test("nothing guesses unless it is asked for", () => {
  assert.equal(read(), undefined);
  assert.equal(read("--spec-type", "none", "-md", "d.gguf"), undefined);
});

test("kinds that the binding lacks are named", () => {
  const flags = parseFlags(["-m", "a.gguf", "--spec-type", "draft-mtp"], {});
  assert.deepEqual(flags.warnings, ["--spec-type draft-mtp has no effect on this engine"]);
  assert.equal(settingsOf(flags).model.speculation, undefined);
});

test("vectors and pictures are computed without guesses", () => {
  assert.equal(read("-md", "d.gguf", "--embeddings"), undefined);
  assert.equal(read("-md", "d.gguf", "--mmproj", "p.gguf"), undefined);
});

test("what cannot be is refused", () => {
  assert.throws(() => read("--spec-type", "draft-simple"), /needs --model-draft/);
  assert.throws(() => read("-md", "d.gguf", "--draft-max", "0"), /at least 1/);
  assert.throws(() => read("-md", "d.gguf", "--draft-min", "20"), /between 0/);
  assert.throws(() => read("-md", "d.gguf", "--draft-p-min", "2"), /between 0 and 1/);
});
