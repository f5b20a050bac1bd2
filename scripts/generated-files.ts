import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** What a generator makes: path from the root of the project → text. */
export type GeneratedFiles = ReadonlyMap<string, string>;

/** A generator owns every file that its patterns match, so that what is no longer made goes away. */
export interface Output {
  readonly root: string;
  readonly owns: readonly string[];
  readonly files: GeneratedFiles;
}

export interface Drift {
  /** Missing, or with another text. */
  readonly stale: string[];
  /** Owned, but no longer made. */
  readonly left: string[];
}

export function findDrift({ root, owns, files }: Output): Drift {
  const stale = [...files].filter(([path, text]) => readIfThere(join(root, path)) !== text).map(([path]) => path);
  const left = owns.flatMap((pattern) => globSync(pattern, { cwd: root })).filter((path) => !files.has(path));
  return { stale: stale.sort(), left: left.sort() };
}

export function writeFiles({ root, files }: Output, drift: Drift): void {
  for (const path of drift.stale) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), files.get(path) ?? "");
  }
  for (const path of drift.left) rmSync(join(root, path));
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

/** What the command line of every generator does: write, or with `--check` only say what would change. */
export function runGenerator(output: Output, args: readonly string[]): number {
  const drift = findDrift(output);
  const changes = [...drift.stale, ...drift.left.map((path) => `${path} (no longer made)`)];
  if (!args.includes("--check")) {
    writeFiles(output, drift);
    for (const change of changes) console.log(change);
    return 0;
  }
  if (changes.length === 0) return 0;
  console.error(`generated files are not current; run npm run generate:\n  ${changes.join("\n  ")}`);
  return 1;
}
