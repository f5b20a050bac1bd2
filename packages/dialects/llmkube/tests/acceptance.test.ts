import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { readAcceptance, readStories } from "@trivium/testkit";
import { storyFolder } from "./story-operator.ts";

const root = join(import.meta.dirname, "../../../..");

const { wanted, listed, silent, places } = readAcceptance({
  page: readFileSync(join(root, "docs/dialects/llmkube.md"), "utf8"),
  parts: { A: 10, M: 40, G: 7, I: 40, X: 10 },
  rooms: {
    model: "packages/dialects/llmkube/src/model/cases/*.yaml",
    service: "packages/dialects/llmkube/src/inference-service/cases/*.yaml",
    stories: "stories/llmkube/*/steps.yaml",
  },
});

test("every row of the acceptance list is accounted for, once and in order", () => {
  assert.deepEqual(listed, wanted);
});

test("every row names what covers it, or says why nothing does", () => {
  assert.deepEqual(silent, []);
});

test("everything that is named exists, and every story is named", () => {
  assert.deepEqual(
    places.filter((place) => !existsSync(join(root, place))),
    [],
  );
  const stories = readStories(storyFolder).map(({ name }) => `stories/llmkube/${name}/steps.yaml`);
  assert.deepEqual(
    stories.filter((story) => !places.includes(story)),
    [],
  );
});
