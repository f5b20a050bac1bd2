// Runs every test. With arguments, only the files whose path contains one of them.
import { spawnSync } from "node:child_process";
import { globSync } from "node:fs";
import { availableParallelism } from "node:os";
import { resolve as resolvePath } from "node:path";
import { repeatFailed, runTestFiles } from "./test-files.ts";
import { shareProcesses } from "./test-processes.ts";

const wanted = process.argv.slice(2);
const pick = (pattern: string): string[] =>
  globSync(pattern)
    .filter((path) => !path.includes("node_modules"))
    .filter((path) => wanted.length === 0 || wanted.some((word) => path.includes(word)))
    .sort();

const units = [
  ...pick("packages/*/*/src/**/*.test.ts"),
  ...pick("apps/*/src/**/*.test.ts"),
  ...pick("scripts/**/*.test.ts"),
  ...pick("tools/**/*.test.ts"),
  ...pick("bench/**/*.test.ts"),
];
const servers = [...pick("packages/*/*/tests/**/*.test.ts"), ...pick("apps/*/tests/**/*.test.ts")];

// Tests that start whole programs start the bundles, as users do.
if (servers.length > 0) {
  const { status } = spawnSync(process.execPath, ["scripts/build.ts"], { stdio: "inherit" });
  if (status !== 0) process.exit(1);
  process.env.TRIVIUM_TEST_BUNDLES = resolvePath("dist");
}

// All stories are played where they are asked for, and by the cluster suite.
if (wanted.length === 0) process.env.TRIVIUM_STORIES = "quick";

if (units.length + servers.length > 0) process.exitCode = await runTests([...units, ...servers]);

async function runTests(files: readonly string[]): Promise<number> {
  const processes = shareProcesses(files);
  console.log(`tests: ${files.length} files in ${processes.length} processes`);
  const timeout = "--test-timeout=900000";
  // Tests that start servers wait about as long as they work: one more than there are processors keeps these busy.
  const concurrency = `--test-concurrency=${availableParallelism() + 1}`;
  const run = await runTestFiles(processes, { args: [timeout, concurrency] });
  return repeatFailed(run, (failed) => runTestFiles(failed, { args: [timeout, "--test-concurrency=1"] }));
}
