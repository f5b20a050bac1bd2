import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { readStories } from "@trivium/testkit";
import { storyFolder } from "./story-operator.ts";

const root = join(import.meta.dirname, "../../../..");
const page = readFileSync(join(root, "docs/dialects/llmkube.md"), "utf8");

/** The acceptance list of this API: how many rows each part of it has. */
const parts = { A: 10, M: 40, G: 7, I: 40, X: 10 };
const ids = Object.entries(parts).flatMap(([part, count]) =>
  Array.from({ length: count }, (_, i) => `${part}${i + 1}`),
);

const rows = [...page.matchAll(/^\| ([AMGIX]\d+) \| (.*) \| (.*) \|$/gm)].map(([, id = "", , cover = ""]) => ({
  id,
  cover,
}));

test("every row of the acceptance list is accounted for, once and in order", () => {
  assert.deepEqual(
    rows.map(({ id }) => id),
    ids,
  );
});

test("every row names what covers it, or says why nothing does", () => {
  const silent = rows.filter(({ cover }) => namesIn(cover).length === 0 && !/^no: \w+/.test(cover));
  assert.deepEqual(silent, []);
});

test("everything that is named exists, and every story is named", () => {
  const [, section = ""] = page.split("\n## Acceptance\n");
  const tables = (section.split("\n## ")[0] ?? "").split("\n").filter((line) => line.startsWith("| "));
  const names = tables.flatMap((line) => namesIn(line.slice(line.lastIndexOf(" | "))));
  assert.deepEqual(
    names.filter((name) => !existsSync(join(root, placeOf(name)))),
    [],
  );
  const stories = readStories(storyFolder).map(({ name }) => `stories/${name}`);
  assert.deepEqual(
    stories.filter((name) => !names.includes(name)),
    [],
  );
});

/** What looks like a place; other things in code style are words of the API. */
const namesIn = (cover: string): string[] => [...cover.matchAll(/`([a-z-]+\/[^`]+)`/g)].map(([, name]) => name ?? "");

function placeOf(name: string): string {
  const [first, rest = ""] = [name.split("/")[0], name.slice(name.indexOf("/") + 1)];
  const cases = "packages/dialects/llmkube/src";
  if (first === "model") return `${cases}/model/cases/${rest}.yaml`;
  if (first === "service") return `${cases}/inference-service/cases/${rest}.yaml`;
  if (first === "stories") return `stories/llmkube/${rest}/steps.yaml`;
  return first === "apps" ? name : `packages/${name}`;
}
