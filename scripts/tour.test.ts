import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";

/** The tour names a function and a file for each step of a pass. Each claim is looked up in the source. */
const root = join(import.meta.dirname, "..");
const text = readFileSync(join(root, "docs/internals/tour.md"), "utf8");
const rows = [...text.matchAll(/^\| ([^|`]+) \| `(\w+)` \| `(packages\/[^`]+\.ts)` \|$/gm)].map(
  ([, step = "", name = "", file = ""]) => ({ step, name, file }),
);

describe("the tour", () => {
  test("names at least twenty steps, each once", () => {
    assert.ok(rows.length >= 20, `${rows.length} steps`);
    assert.equal(new Set(rows.map(({ name }) => name)).size, rows.length);
  });

  for (const { step, name, file } of rows) {
    test(`${step}: ${name}`, () => {
      assert.ok(existsSync(join(root, file)), `${file} exists`);
      const source = readFileSync(join(root, file), "utf8");
      const isDefined = new RegExp(`^(?:export (?:async )?function ${name}\\b|  (?:async )?${name}\\()`, "m");
      assert.match(source, isDefined, `${file} defines ${name}`);
    });
  }

  test("names files and folders that exist", () => {
    // Words of the code in the text: `verbs/watch.ts` is somewhere below packages or apps.
    const named = [...text.matchAll(/`([\w/-]+\.(?:ts|mjs))`/g)].map(([, path = ""]) => path);
    const known = globSync(["packages/*/*/src/**/*.ts", "apps/*/src/**/*.ts", "scripts/**/*.{ts,mjs}"], { cwd: root });
    const missing = [...new Set(named)].filter(
      (path) => !known.some((file) => file === path || file.endsWith(`/${path}`)),
    );
    assert.deepEqual(missing, []);
  });
});
