/**
 * Builds the pages of the dashboard into a folder. The build of the browser half writes apps/dashboard/dist; programs look beside their
 * bundle.
 */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, globSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import manifest from "../apps/dashboard/package.json" with { type: "json" };

const pages = "apps/dashboard/dist";
const builder = "scripts/build-dashboard.ts";
const sources = [
  "apps/dashboard/{src,build,public}/**/*",
  "apps/dashboard/*.{html,json,ts}",
  "packages/{base,core,dialects}/*/src/**/*.ts",
  "packages/platform/{client,dashboard-server,explain}/src/**/*.ts",
  "package-lock.json",
];

/** The packages of others that the pages contain. */
export const pagePackages: readonly string[] = Object.keys(manifest.dependencies).filter(
  (name) => !name.startsWith("@trivium/"),
);

/** Returns why the pages could not be built; nothing when they are there. */
export function buildPages(target: string): string | undefined {
  const fault = isCurrent() ? undefined : runBuilder();
  if (!existsSync(join(pages, "index.html"))) return fault ?? `${pages} has no index.html`;
  replaceFolder(target);
  return fault;
}

function isCurrent(): boolean {
  const page = join(pages, "index.html");
  if (!existsSync(page)) return false;
  const builtAt = statSync(page).mtimeMs;
  return globSync(sources, { exclude: ["**/node_modules", "**/*.test.ts", "**/cases"] }).every(
    (path) => statSync(path).mtimeMs <= builtAt,
  );
}

function runBuilder(): string | undefined {
  const { status, stderr } = spawnSync(process.execPath, [builder, "--quiet"], { encoding: "utf8", timeout: 300_000 });
  return status === 0 ? undefined : causeIn(stderr);
}

/** Node prints the source and the stack around an error, and its own version last. */
function causeIn(text: string): string {
  const lines = text.trim().split("\n");
  return lines.find((line) => /^\s*\S*Error\b/.test(line))?.trim() ?? lines.at(-1) ?? "no output";
}

/** In two steps, so that a program that starts meanwhile finds all of the old files or all of the new ones. */
function replaceFolder(target: string): void {
  const [fresh, old] = [`${target}.${process.pid}.new`, `${target}.${process.pid}.old`];
  cpSync(pages, fresh, { recursive: true });
  if (existsSync(target)) renameSync(target, old);
  renameSync(fresh, target);
  rmSync(old, { recursive: true, force: true });
}
