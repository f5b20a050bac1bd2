import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

/** What starts programs, kills processes or takes long has a process of its own, so that it runs beside the others. */
const ownProcess = [
  /^apps\/\w+\/tests\//,
  /^packages\/platform\/(node|engine|load)\/tests\//,
  /^packages\/platform\/gateway\/tests\/(program|workers)/,
  /stories|kubectl|judge|kill/,
];
const standIns = join(".cache", "tests");
/** Of this run alone: another run in the same checkout may have other files. */
const folder = join(standIns, String(process.pid));

/** Whether a path is the file of a process that test files share. */
export function isStandIn(path: string): boolean {
  return path.startsWith(`${standIns}/`);
}

/**
 * Loading the sources costs more than most tests, so the test files of a folder share a process: one file is written for each such
 * process, which imports them. Returns the files to run, a process each.
 */
export function shareProcesses(files: readonly string[]): string[] {
  const groups = Map.groupBy(files, processOf);
  mkdirSync(folder, { recursive: true });
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  return [...groups].map(([name, members]) =>
    members.length === 1 ? (members[0] ?? name) : writeGroup(name, members),
  );
}

/** The name of the process that a test file runs in. */
export function processOf(path: string): string {
  const [place] = path.split("/tests/");
  if (place === path || place === undefined) return "units";
  if (ownProcess.some((pattern) => pattern.test(path))) return path;
  return path.slice(0, path.lastIndexOf("/"));
}

function writeGroup(name: string, members: readonly string[]): string {
  const file = join(folder, `${name.replaceAll("/", "-")}.test.mjs`);
  writeFileSync(file, members.map((path) => `import ${JSON.stringify(pathToFileURL(resolve(path)).href)};\n`).join(""));
  return file;
}
