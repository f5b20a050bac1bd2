import assert from "node:assert/strict";
import test from "node:test";
import { linesOf, literalsOf, textsOf } from "./check-language.ts";
import { decidedMessages } from "./language/decided-messages.ts";
import { findPhrases } from "./language/phrases.ts";

const refused = (text: string): string[] => findPhrases(text).map(({ phrase }) => phrase);

test("refuses phrases that a reader has to guess at", () => {
  assert.deepEqual(refused("The InferenceService is made"), ["is made"]);
  assert.deepEqual(refused("A model is made of an image"), ["is made"]);
  assert.deepEqual(refused("Nobody says how large it is"), ["Nobody"]);
  assert.deepEqual(refused("ended again and again. Its last words: x"), ["again and again", "last words"]);
  assert.deepEqual(refused("Model chat is not well"), ["is not well"]);
  assert.deepEqual(refused("tried again by itself"), ["by itself"]);
});

test("leaves plain sentences alone", () => {
  for (const text of [
    "Creating InferenceService chat",
    "a well-known port",
    "is there a node?",
    "The archive is made up of two parts",
    "Container c keeps crashing (exit code 1). Last log line: x",
  ])
    assert.deepEqual(refused(text), []);
});

test("reads messages of the product and prose of pages, not names, tests and code", () => {
  assert.deepEqual(
    literalsOf("a.ts", 'throw new Error("no such file"); import "./b.ts"; const kind = "Pod";').map(({ text }) => text),
    ["no such file"],
  );
  assert.deepEqual(
    linesOf("a.md", "Prose\n```bash\ncode\n```\nuse `is made`").map(({ text }) => text),
    ["Prose", "use "],
  );
  const pages = ["docs/a.md", "docs/internals/decisions/0001-a.md"];
  const files = ["packages/core/engines/src/a.ts", "packages/core/engines/src/a.test.ts", ...pages, "docs/a.svg"];
  const places = textsOf(files, (file) => (file.endsWith(".md") ? "prose" : '"some text"')).map(({ place }) => place);
  assert.deepEqual(places, ["packages/core/engines/src/a.ts:1", ...pages.map((page) => `${page}:1`)]);
});

test("lists each decided message once, with all the places that show it", () => {
  const report = { reason: "NoGpu", message: "No node has a GPU" };
  const decision = {
    status: {
      conditions: [
        { type: "Ready", ...report },
        { type: "Failure", ...report },
      ],
    },
    notes: [{ type: "Warning", ...report }],
  };
  const saved = { dialect: "llmkube", about: "a GPU is missing", object: { kind: "Model" }, decision };
  assert.deepEqual(decidedMessages([saved]), [
    {
      dialect: "llmkube",
      kind: "Model",
      reason: "NoGpu",
      message: "No node has a GPU",
      shownAs: ["Ready", "Failure", "event"],
      when: "a GPU is missing",
    },
  ]);
});
