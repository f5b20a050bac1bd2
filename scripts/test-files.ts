import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { isStandIn } from "./test-processes.ts";

export interface TestRun {
  readonly code: number;
  /** What is to be run again for the tests that failed, once each. */
  readonly failed: readonly string[];
  /** The files that were run and of which at least one test passed. */
  readonly passed: readonly string[];
}

interface Options {
  readonly args: readonly string[];
  /** Added to this process's; `undefined` takes away. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** `at end`: runs beside each other do not talk at the same time. */
  readonly output?: "at once" | "at end" | "none";
  readonly onStart?: (child: ChildProcess) => () => void;
}

/** Runs files with Node's test runner. */
export function runTestFiles(files: readonly string[], options: Options): Promise<TestRun> {
  const folder = mkdtempSync(join(tmpdir(), "trivium-outcomes-"));
  const list = join(folder, "lines");
  const reporters = [
    ...["--test-reporter=spec", "--test-reporter-destination=stdout"],
    ...["--test-reporter=./scripts/test-outcomes.mjs", `--test-reporter-destination=${list}`],
  ];
  const child = spawn(process.execPath, ["--test", ...reporters, ...options.args, ...files], {
    stdio: ["ignore", (options.output ?? "at once") === "at once" ? "inherit" : "pipe", "inherit"],
    env: { ...process.env, ...options.env },
  });
  const onEnd = options.onStart?.(child);
  const reported: Buffer[] = [];
  child.stdout?.on("data", (piece: Buffer) => reported.push(piece));
  return new Promise((resolve) => {
    child.on("close", (code) => {
      onEnd?.();
      if (options.output !== "none") process.stdout.write(Buffer.concat(reported));
      // A runner that could not start has written no list.
      const outcomes = parseOutcomes(existsSync(list) ? readFileSync(list, "utf8") : "");
      rmSync(folder, { recursive: true, force: true });
      resolve({ code: code ?? 1, ...outcomes });
    });
  });
}

function parseOutcomes(lines: string): Omit<TestRun, "code"> {
  const failed = new Set<string>();
  const passed = new Set<string>();
  for (const line of lines.split("\n").filter(Boolean)) {
    const [outcome, entry = "", file = ""] = line.split("\t");
    if (outcome === "failed") failed.add(relative(process.cwd(), fileToRepeat(entry, file)));
    else passed.add(relative(process.cwd(), entry));
  }
  return { failed: [...failed].sort(), passed: [...passed].sort() };
}

/** Of a process that test files share, the one that declares the test is enough; a module that declares tests for others is none. */
function fileToRepeat(entry: string, file: string): string {
  return isStandIn(relative(process.cwd(), entry)) && /\.(test|cluster)\.ts$/.test(file) ? file : entry;
}

/** More than these are no chance. */
const mostRepeated = 6;

/**
 * On the build server (`TRIVIUM_TEST_REPEAT`) the few files that failed are run once more with the machine to themselves: a busy machine
 * has refused good changes. What failed first stands in the output, and a file that then passes is named: it is to be mended. A file of
 * which no test passes the second time has shown nothing and counts as failed.
 */
export async function repeatFailed(
  { code, failed }: TestRun,
  repeat: (files: readonly string[]) => Promise<TestRun>,
): Promise<number> {
  if (code === 0 || process.env.TRIVIUM_TEST_REPEAT === undefined) return code;
  if (failed.length === 0 || failed.length > mostRepeated) return code;
  console.log(`once more, alone: ${failed.join(", ")}`);
  const second = await repeat(failed);
  if (second.code !== 0) return second.code;
  const untried = failed.filter((path) => !second.passed.includes(path));
  if (untried.length > 0) {
    console.log(`no test passed when run once more, so it failed: ${untried.join(", ")}`);
    return code;
  }
  console.log(`UNSTEADY, passed alone and failed beside others: ${failed.join(", ")}`);
  return 0;
}
