import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";

export interface TestRun {
  readonly code: number;
  /** The files of the tests that failed, once each; the stand-in of a shared process where it ended as a whole. */
  readonly failed: readonly string[];
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
  const folder = mkdtempSync(join(tmpdir(), "trivium-failed-"));
  const list = join(folder, "files");
  const reporters = [
    ...["--test-reporter=spec", "--test-reporter-destination=stdout"],
    ...["--test-reporter=./scripts/failed-files.mjs", `--test-reporter-destination=${list}`],
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
      const failed = (existsSync(list) ? readFileSync(list, "utf8") : "").split("\n").filter(Boolean);
      rmSync(folder, { recursive: true, force: true });
      resolve({ code: code ?? 1, failed: [...new Set(failed.map((path) => relative(process.cwd(), path)))].sort() });
    });
  });
}

/** More than these are no chance. */
const mostRepeated = 6;

/**
 * On the build server (`TRIVIUM_TEST_REPEAT`) the few files that failed are run once more with the machine to themselves: a busy machine
 * has refused good changes. What failed first stands in the output, and a file that then passes is named: it is to be mended.
 */
export async function repeatFailed(
  { code, failed }: TestRun,
  repeat: (files: readonly string[]) => Promise<TestRun>,
): Promise<number> {
  if (code === 0 || process.env.TRIVIUM_TEST_REPEAT === undefined) return code;
  const files = failed.filter((path) => !path.startsWith(".cache"));
  if (files.length === 0 || files.length !== failed.length || files.length > mostRepeated) return code;
  console.log(`once more, alone: ${files.join(", ")}`);
  const second = await repeat(files);
  if (second.code === 0) console.log(`UNSTEADY, passed alone and failed beside others: ${files.join(", ")}`);
  return second.code;
}
