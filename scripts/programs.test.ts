import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";

const root = join(import.meta.dirname, "..");

/** Files of the last commit and the index, as git knows them; nothing where this is no clone. */
function modesInGit(): Map<string, string> | undefined {
  try {
    const lines = execFileSync("git", ["ls-files", "-s", "-z"], { cwd: root, encoding: "utf8" }).split("\0");
    return new Map(lines.filter(Boolean).map((line) => [line.slice(line.indexOf("\t") + 1), line.slice(0, 6)]));
  } catch {
    return undefined;
  }
}

test("programs of packages are kept executable, as npm makes them: installing changes no file", (t) => {
  const modes = modesInGit();
  if (modes === undefined) return t.skip("skipped: this is no git clone");
  const manifests = [...modes.keys()].filter((path) => /^(apps|packages|tools)\/.*package\.json$/.test(path));
  const programs = manifests.flatMap((path) => {
    const { bin = {} } = JSON.parse(readFileSync(join(root, path), "utf8")) as { bin?: Record<string, string> };
    return Object.values(bin).map((file) => join(dirname(path), file));
  });
  assert.ok(programs.length >= 5, programs.join());
  assert.deepEqual(
    programs.filter((file) => modes.get(file) !== "100755"),
    [],
  );
});
