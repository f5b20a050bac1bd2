import { spawnSync } from "node:child_process";
import { globSync } from "node:fs";
import { availableParallelism } from "node:os";
import { resolve as resolvePath } from "node:path";
import { collectTimes, formatTimes } from "./process-times.ts";
import { repeatFailed, runTestFiles } from "./test-files.ts";
import { shareProcesses } from "./test-processes.ts";

/** Every test file that needs no cluster: first those beside the sources, then those that start servers. */
export function findTestFiles(): string[] {
  const patterns = [
    ...["packages/*/*/src", "apps/*/src", "scripts", "tools", "bench"],
    ...["packages/*/*/tests", "apps/*/tests"],
  ];
  return patterns.flatMap((folder) =>
    globSync(`${folder}/**/*.test.ts`)
      .filter((path) => !path.includes("node_modules"))
      .sort(),
  );
}

interface TestOptions {
  /** Parts of the paths of the wanted files; none: all. */
  readonly words: readonly string[];
  /** Print what each process took. */
  readonly times: boolean;
}

export function parseTestOptions(args: readonly string[]): TestOptions {
  return { words: args.filter((arg) => arg !== "--times"), times: args.includes("--times") };
}

/** Runs test files, and returns the exit code for it. */
export async function runTests(files: readonly string[], options: Pick<TestOptions, "times">): Promise<number> {
  if (files.length === 0) return 0;
  // Tests that start whole programs start the bundles, as users do.
  if (files.some((path) => path.includes("/tests/"))) {
    const { status } = spawnSync(process.execPath, ["scripts/build.ts"], { stdio: "inherit" });
    if (status !== 0) return 1;
    process.env.TRIVIUM_TEST_BUNDLES = resolvePath("dist");
  }
  const processes = shareProcesses(files);
  console.log(`tests: ${files.length} files in ${processes.length} processes`);
  const timeout = "--test-timeout=900000";
  // Tests that start servers wait about as long as they work: one more than there are processors keeps these busy.
  const concurrency = `--test-concurrency=${availableParallelism() + 1}`;
  const times = options.times ? collectTimes() : undefined;
  const args = [timeout, concurrency, ...(times?.args ?? [])];
  const run = await runTestFiles(processes, { args, ...(times && { env: times.env }) });
  if (times !== undefined) console.log(formatTimes(times.take()));
  return repeatFailed(run, (failed) => runTestFiles(failed, { args: [timeout, "--test-concurrency=1"] }));
}
