import { spawnSync } from "node:child_process";
import { globSync } from "node:fs";

export interface CaseRun {
  /** Cases that failed, in the order of their files. */
  readonly failed: readonly string[];
  /** Why nothing can be said, such as a file that does not load. */
  readonly broken?: string;
}

/** The case tests of dialects in a copy, one file after another until a case fails. */
export function runCases(root: string, dialects: readonly string[]): CaseRun {
  const files = dialects.flatMap((name) => globSync(`packages/${name}/tests/*cases.test.ts`, { cwd: root }).sort());
  for (const file of files) {
    const { stdout, status } = spawnSync(process.execPath, ["--test", "--test-reporter=tap", file], {
      cwd: root,
      encoding: "utf8",
      maxBuffer: 1 << 28,
    });
    if (status === 0) continue;
    const failed = failedCases(stdout);
    return failed.length > 0 ? { failed } : { failed: [], broken: `${file}: ${firstError(stdout)}` };
  }
  return { failed: [] };
}

/** Cases are tests inside the suite of their kind. */
export function failedCases(tap: string): string[] {
  let kind = "";
  return tap.split("\n").flatMap((line) => {
    kind = /^# Subtest: cases of (.*)$/.exec(line)?.[1] ?? kind;
    const name = /^ {4}not ok \d+ - (.*)$/.exec(line)?.[1];
    return name === undefined ? [] : [`${kind}/${name}`];
  });
}

const firstError = (tap: string): string => /^.*Error.*$/m.exec(tap)?.[0].trim() ?? "it fails without a case";
