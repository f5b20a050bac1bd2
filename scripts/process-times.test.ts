import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { collectTimes, formatTimes } from "./process-times.ts";
import { runTestFiles } from "./test-files.ts";

test("each test process is named with its processor time and that of its programs, the most expensive first", async () => {
  const folder = mkdtempSync(join(tmpdir(), "trivium-process-times-"));
  const file = (name: string, body: string): string => {
    const path = join(folder, name);
    writeFileSync(
      path,
      `import { test } from "node:test";\nimport { spawnSync } from "node:child_process";\n${body}\n`,
    );
    return path;
  };
  const work = "const end = process.cpuUsage().user + 100_000; while (process.cpuUsage().user < end);";
  const files = [
    file("idle.test.mjs", `test("idle", () => {});`),
    file("own.test.mjs", `test("own", () => { ${work.replace("100_000", "300_000")} });`),
    file("programs.test.mjs", `test("runs", () => { spawnSync(process.execPath, ["-e", ${JSON.stringify(work)}]); });`),
  ];
  const times = collectTimes();
  try {
    await runTestFiles(files, {
      args: times.args,
      env: { ...times.env, NODE_TEST_CONTEXT: undefined },
      output: "none",
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
  const taken = new Map(times.take().map((each) => [each.name.split("/").at(-1), each]));
  assert.deepEqual([...taken.keys()].sort(), ["idle.test.mjs", "own.test.mjs", "programs.test.mjs"]);
  assert.equal([...taken.keys()].at(-1), "idle.test.mjs");
  assert.ok((taken.get("own.test.mjs")?.own ?? 0) >= 0.3 && taken.get("own.test.mjs")?.programs === 0);
  assert.ok((taken.get("programs.test.mjs")?.programs ?? 0) >= 0.1);
  assert.match(formatTimes([...taken.values()]), /^processor time of 3 test processes: \d+ s\n/);
});
