import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, test } from "node:test";
import { repeatFailed, runTestFiles, type TestRun } from "./test-files.ts";

const passed: TestRun = { code: 0, failed: [] };
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

describe("files of tests", () => {
  afterEach(() => {
    delete process.env.TRIVIUM_TEST_REPEAT;
  });

  test("the files of failed tests are named once each, and a file that passes is not", async () => {
    const folder = mkdtempSync(join(tmpdir(), "trivium-test-files-"));
    const file = (name: string, body: string): string => {
      const path = join(folder, name);
      writeFileSync(path, `import { test } from "node:test";\n${body}\n`);
      return path;
    };
    const bad = file("bad.test.mjs", `for (const n of [1, 2]) test("bad" + n, () => { throw new Error("no"); });`);
    const good = file("good.test.mjs", `test("good", () => {});`);
    const ended = file("ended.test.mjs", "process.exit(3);");
    // With it the runner takes itself for one that was started by mistake inside a test, and runs nothing.
    const env = { NODE_TEST_CONTEXT: undefined };
    try {
      const run = await runTestFiles([bad, good, ended], { args: [], env, output: "none" });
      assert.equal(run.code, 1);
      assert.deepEqual(run.failed.map((path) => path.split("/").at(-1)).sort(), ["bad.test.mjs", "ended.test.mjs"]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test("what failed is run once more on the build server only, and its second end counts", async () => {
    const first: TestRun = { code: 1, failed: ["a.test.ts"] };
    const steady = again(passed);
    assert.equal(await repeatFailed(first, steady.repeat), 1);
    assert.deepEqual(steady.calls, []);
    process.env.TRIVIUM_TEST_REPEAT = "1";
    assert.equal(await repeatFailed(first, steady.repeat), 0);
    assert.deepEqual(steady.calls, [["a.test.ts"]]);
    assert.equal(await repeatFailed(first, again(first).repeat), 1);
    assert.equal(await repeatFailed(passed, again(first).repeat), 0);
  });

  test("many failures, a failure without a file and a shared process that ended are no chance", async () => {
    process.env.TRIVIUM_TEST_REPEAT = "1";
    const many = Array.from({ length: 7 }, (_, i) => `${i}.test.ts`);
    for (const failed of [many, [], ["a.test.ts", ".cache/tests/1/units.test.mjs"]])
      assert.equal(await repeatFailed({ code: 1, failed }, again(passed).repeat), 1);
  });
});
