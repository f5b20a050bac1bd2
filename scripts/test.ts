// Runs every test: those of single files all in one process, those that start servers in a process each.
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

// Unit tests keep one processor busy, so they run beside the others. Their output is printed whole: when they pass, else after all others.
const [unitTests, serverTests] = await Promise.all([
  runTests("unit tests", ["--test-isolation=none", ...units], { count: units.length, isCollected: servers.length > 0 }),
  runTests("tests with servers and processes", [concurrency, ...servers], { count: servers.length }),
]);
process.stdout.write(unitTests.failureOutput);
process.exitCode = unitTests.code === 0 && serverTests.code === 0 ? 0 : 1;

interface Outcome {
  readonly code: number;
  /** What was collected of a run that failed. */
  readonly failureOutput: string;
}

function runTests(
  name: string,
  args: readonly string[],
  { count, isCollected = false }: { readonly count: number; readonly isCollected?: boolean },
): Promise<Outcome> {
  if (count === 0) return Promise.resolve({ code: 0, failureOutput: "" });
  console.log(`${name}: ${count} files`);
  return new Promise((resolve) => {
    const child = spawn(process.execPath, ["--test", "--test-reporter=spec", "--test-timeout=900000", ...args], {
      stdio: ["ignore", isCollected ? "pipe" : "inherit", "inherit"],
    });
    const output: Buffer[] = [];
    child.stdout?.on("data", (chunk: Buffer) => output.push(chunk));
    child.on("close", (status) => {
      const code = status ?? 1;
      const collected = Buffer.concat(output).toString();
      if (code === 0) process.stdout.write(collected);
      resolve({ code, failureOutput: code === 0 ? "" : collected });
    });
  });
}
