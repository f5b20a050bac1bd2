import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { readAcceptance } from "@trivium/testkit";

const root = join(import.meta.dirname, "../../../..");
const page = readFileSync(join(root, "docs/dialects/ome.md"), "utf8");

const { wanted, listed, silent, places } = readAcceptance({
  page,
  parts: { R: 34, M: 26, C: 23, A: 27, W: 23, B: 11 },
  rooms: {
    model: "packages/dialects/ome/src/model/cases/*.yaml",
    service: "packages/dialects/ome/src/inference-service/cases/*.yaml",
    benchmark: "packages/dialects/ome/src/benchmark-job/cases/*.yaml",
    stories: "stories/ome/*/steps.yaml",
    weight: "packages/dialects/ome/src/fine-tuned-weight/cases/*.yaml",
    cli: "apps/cli/*",
    local: "apps/local/*",
    operator: "apps/operator/*",
  },
});

test("every row of the acceptance list is accounted for, once and in order", () => {
  assert.deepEqual(listed, wanted);
});

test("every row names what covers it, or says why nothing does", () => {
  assert.deepEqual(silent, []);
});

test("everything that is named exists", () => {
  assert.deepEqual(
    places.filter((place) => !existsSync(join(root, place))),
    [],
  );
});
