import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { readAcceptance, readStories } from "@trivium/testkit";
import { storyFolder } from "./story-operator.ts";

const root = join(import.meta.dirname, "../../../..");
const kinds = [
  ...["service", "model", "template", "model-source", "runtime-config"],
  ...["model-cache", "template-cache", "kv-cache"],
];

const { wanted, listed, silent, places } = readAcceptance({
  page: readFileSync(join(root, "docs/dialects/aim.md"), "utf8"),
  parts: { K: 62, E: 85, D: 19 },
  rooms: {
    ...Object.fromEntries(kinds.map((kind) => [kind, `packages/dialects/aim/src/${kind}/cases/*.yaml`])),
    stories: "stories/aim/*/steps.yaml",
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
  const stories = readStories(storyFolder).map(({ name }) => `stories/aim/${name}/steps.yaml`);
  assert.deepEqual(
    stories.filter((story) => !places.includes(story)),
    [],
  );
});
