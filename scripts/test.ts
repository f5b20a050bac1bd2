// Runs every test: first those of single files, all in one process, then those that start servers, a process each.
// With arguments, only the files whose path contains one of them.
import { spawn, spawnSync } from "node:child_process";
import { globSync } from "node:fs";
import { availableParallelism } from "node:os";
import { resolve as resolvePath } from "node:path";

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
];
const servers = [...pick("packages/*/*/tests/**/*.test.ts"), ...pick("apps/*/tests/**/*.test.ts")];

// Tests that start whole programs start the bundles, as users do.
if (servers.length > 0) {
  const { status } = spawnSync(process.execPath, ["scripts/build.ts"], { stdio: "inherit" });
  if (status !== 0) process.exit(1);
  process.env.TRIVIUM_TEST_BUNDLES = resolvePath("dist");
}

// Those that start servers wait about as long as they work: one more than there are processors keeps these busy.
const concurrency = `--test-concurrency=${availableParallelism() + 1}`;

const failures = [
  await runTests("unit tests", ["--test-isolation=none", ...units], units.length),
  await runTests("tests with servers and processes", [concurrency, ...servers], servers.length),
].filter((status) => status !== 0);
process.exit(failures.length === 0 ? 0 : 1);

function runTests(name: string, args: readonly string[], count: number): Promise<number> {
  if (count === 0) return Promise.resolve(0);
  console.log(`${name}: ${count} files`);
  return new Promise((resolve) => {
    const child = spawn(process.execPath, ["--test", "--test-reporter=spec", "--test-timeout=900000", ...args], {
      stdio: ["ignore", "inherit", "inherit"],
    });
    child.on("exit", (code) => resolve(code ?? 1));
  });
}
