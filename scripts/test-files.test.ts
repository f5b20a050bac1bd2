import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterEach, beforeEach, describe, test } from "node:test";
import { repeatFailed, runTestFiles, type TestRun } from "./test-files.ts";

const passed: TestRun = { code: 0, failed: [], passed: ["a.test.ts"] };
const again = (result: TestRun) => {
  const calls: (readonly string[])[] = [];
  return {
    calls,
    repeat: async (files: readonly string[]): Promise<TestRun> => {
      calls.push(files);
      return result;
    },
  };
};
// With the variable the runner takes itself for one that was started by mistake inside a test, and runs nothing.
const runQuietly = (files: readonly string[]) =>
  runTestFiles(files, { args: [], env: { NODE_TEST_CONTEXT: undefined }, output: "none" });
const importTest = `import { test } from "node:test";`;
/** A module that declares a test for each file that calls it, which fails where a file is gone. */
const shared = (trigger: string) => `${importTest}
import { existsSync } from "node:fs";
export const play = () => test("played", () => { if (!existsSync(${JSON.stringify(trigger)})) throw new Error("no"); });`;
const callShared = `import { play } from "./play.mjs";\nplay();`;

describe("files of tests", () => {
  let folder: string;
  const write = (name: string, body: string): string => {
    const path = join(folder, name);
    writeFileSync(path, `${body}\n`);
    return path;
  };
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "trivium-test-files-"));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
    delete process.env.TRIVIUM_TEST_REPEAT;
  });

  test("the files of failed tests are named once each, and so are the files of which a test passed", async () => {
    const throwing = `() => { throw new Error("no"); }`;
    const files = [
      write(
        "bad.test.mjs",
        `${importTest}\nfor (const n of [1, 2]) test("bad" + n, ${throwing});\ntest("good", () => {});`,
      ),
      write("good.test.mjs", `${importTest}\nfor (const n of [1, 2]) test("good" + n, () => {});`),
      write("skipped.test.mjs", `${importTest}\ntest.skip("skipped", ${throwing});\ntest.todo("to do", ${throwing});`),
      write("ended.test.mjs", "process.exit(3);"),
      write("empty.test.mjs", ""),
    ];
    const run = await runQuietly(files);
    assert.equal(run.code, 1);
    assert.deepEqual(run.failed.map((path) => basename(path)).sort(), ["bad.test.mjs", "ended.test.mjs"]);
    assert.deepEqual(run.passed.map((path) => basename(path)).sort(), ["bad.test.mjs", "good.test.mjs"]);
  });

  test("a failure in a module that declares tests for others names the file that was run, and is not hidden", async () => {
    write("play.mjs", shared(join(folder, "never")));
    const story = write("story.test.mjs", callShared);
    const first = await runQuietly([story]);
    assert.deepEqual(
      first.failed.map((path) => basename(path)),
      ["story.test.mjs"],
    );
    process.env.TRIVIUM_TEST_REPEAT = "1";
    assert.equal(await repeatFailed(first, runQuietly), 1);
  });

  test("a failure in such a module that does not happen again is unsteady", async () => {
    const trigger = join(folder, "trigger");
    write("play.mjs", shared(trigger));
    const first = await runQuietly([write("story.test.mjs", callShared)]);
    writeFileSync(trigger, "");
    process.env.TRIVIUM_TEST_REPEAT = "1";
    assert.equal(await repeatFailed(first, runQuietly), 0);
  });

  test("of a shared process the file of the failed test is named, or the process where a module declares the test", async () => {
    const place = join(".cache", "tests", `test-${process.pid}`);
    mkdirSync(place, { recursive: true });
    write("play.mjs", shared(join(folder, "never")));
    const bad = write("bad.test.ts", `${importTest}\ntest("bad", () => { throw new Error("no"); });`);
    const calls = write("calls.test.ts", callShared);
    const standIn = (name: string, ...members: string[]): string => {
      const path = join(place, name);
      writeFileSync(path, members.map((member) => `import ${JSON.stringify(member)};\n`).join(""));
      return path;
    };
    try {
      const { failed } = await runQuietly([standIn("one.test.mjs", bad), standIn("two.test.mjs", calls)]);
      assert.deepEqual(failed.map((path) => basename(path)).sort(), ["bad.test.ts", "two.test.mjs"]);
      assert.ok(failed.includes(join(place, "two.test.mjs")), `the process by its path: ${failed.join(", ")}`);
    } finally {
      rmSync(place, { recursive: true });
    }
  });

  test("a repetition of which no test passes counts as a failure", async () => {
    process.env.TRIVIUM_TEST_REPEAT = "1";
    const first: TestRun = { code: 1, failed: ["a.test.ts", "b.test.ts"], passed: [] };
    assert.equal(await repeatFailed(first, again(passed).repeat), 1);
    const empty = write("empty.test.mjs", "");
    assert.equal(await repeatFailed({ code: 1, failed: [empty], passed: [] }, runQuietly), 1);
  });

  test("what failed is run once more on the build server only, and its second end counts", async () => {
    const first: TestRun = { code: 1, failed: ["a.test.ts"], passed: [] };
    const steady = again(passed);
    assert.equal(await repeatFailed(first, steady.repeat), 1);
    assert.deepEqual(steady.calls, []);
    process.env.TRIVIUM_TEST_REPEAT = "1";
    assert.equal(await repeatFailed(first, steady.repeat), 0);
    assert.deepEqual(steady.calls, [["a.test.ts"]]);
    assert.equal(await repeatFailed(first, again(first).repeat), 1);
    assert.equal(await repeatFailed(passed, again(first).repeat), 0);
  });

  test("many failures and a failure without a file are no chance", async () => {
    process.env.TRIVIUM_TEST_REPEAT = "1";
    const many = Array.from({ length: 7 }, (_, i) => `${i}.test.ts`);
    for (const failed of [many, []])
      assert.equal(await repeatFailed({ code: 1, failed, passed: [] }, again({ ...passed, passed: many }).repeat), 1);
  });
});
