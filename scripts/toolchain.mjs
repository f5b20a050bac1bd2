// Runs on whatever Node starts it (20 or newer): finds or installs what the project itself needs.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { constants } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { isInstalled, markInstalled, withInstallLock } from "./installation.mjs";

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
const bundle = join(root, "dist", "trivium.mjs");
/** Tests start hundreds of processes that load the same sources: stripping types and compiling happens once for all of them. */
const compileCache = join(root, "node_modules", ".cache", "compiled");

/** Installs the dependencies of the lock file unless exactly these are installed already, by this or by `npm ci`. */
export function ensureInstalled(place = root) {
  if (isInstalled(place)) return;
  const onWait = (pid) => console.error(`waiting for process ${pid}, which is installing dependencies …`);
  try {
    withInstallLock(place, () => isInstalled(place) || install(place), { onWait });
  } catch (error) {
    fail(error.message);
  }
}

function install(place) {
  console.error("installing dependencies …");
  const npm = process.platform === "win32" ? "npm.cmd" : "npm";
  const { status, error } = spawnSync(npm, ["ci", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: place,
    stdio: ["ignore", 2, 2],
  });
  if (status !== 0) throw new Error(`npm ci failed${error ? `: ${error.message}` : "; see its output above"}`);
  markInstalled(place);
}

/** A Node of version 24 or newer: the one that runs this, or the one among the dependencies. */
export function findNode() {
  if (Number(process.versions.node.split(".")[0]) >= 24) return process.execPath;
  const packaged = join(root, "node_modules", `node-${process.platform}-${process.arch}`, "bin", "node");
  if (existsSync(packaged)) return packaged;
  return fail(`Node 24 or newer is needed, this is ${process.version}; install it and run the command again`);
}

/** A smaller nursery costs a little speed and keeps an idle control plane tens of megabytes smaller. */
export const programFlags = ["--max-semi-space-size=8"];

/**
 * The operator is mostly idle and its garbage is short-lived: a small nursery costs a few collections in a burst. With a limit for its heap it
 * collects before it has grown to several times what it holds; 1 GiB is enough for tens of thousands of services.
 */
export const operatorFlags = ["--max-semi-space-size=1", "--max-old-space-size=1024"];

/** The C library gives each thread memory of its own and keeps what it once needed. With one for all, 20 MB less are kept. */
export const operatorEnvironment = { MALLOC_ARENA_MAX: "1" };

/** Bundles the program unless the bundle is newer than every source. */
export function ensureBuilt() {
  if (existsSync(bundle) && statSync(bundle).mtimeMs > newestSource()) return bundle;
  if (process.stderr.isTTY) console.error("Building trivium …");
  const status = runScript("build.ts", []);
  if (status !== 0) process.exit(status);
  return bundle;
}

function newestSource() {
  const folders = ["packages/base", "packages/core", "packages/dialects", "packages/platform", "apps"];
  const packages = folders.flatMap((folder) => {
    const path = join(root, folder);
    return existsSync(path) ? readdirSync(path).map((name) => join(path, name)) : [];
  });
  return Math.max(
    statSync(join(root, "package-lock.json")).mtimeMs,
    statSync(join(root, "scripts", "bundles.ts")).mtimeMs,
    ...packages.map((path) => newestBelow(join(path, "src"))),
  );
}

function newestBelow(folder) {
  if (!existsSync(folder)) return 0;
  let newest = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    newest = Math.max(newest, entry.isDirectory() ? newestBelow(path) : statSync(path).mtimeMs);
  }
  return newest;
}

/** Starts the program, hands every signal to stop down to it, and ends as it ends. */
export function startProgram(args) {
  startNode([...programFlags, ensureBuilt(), ...args]);
}

/** Starts another of the bundled programs, with what is on the command line. */
export function startBundled(name, flags = [], environment = {}) {
  ensureInstalled();
  startNode([...flags, bundleOf(name), ...process.argv.slice(2)], environment);
}

/** The bundle of one of the programs, newer than every source. */
export function bundleOf(name) {
  return join(dirname(ensureBuilt()), `${name}.mjs`);
}

/** Starts another program of the project from its source, with what is on the command line. */
export function startSource(source, flags = []) {
  ensureInstalled();
  startNode([...flags, fileURLToPath(source), ...process.argv.slice(2)]);
}

/** Signals by which a person or a supervisor asks to stop. */
const asked = ["SIGINT", "SIGTERM", "SIGHUP"];

function startNode(args, environment = {}) {
  const child = spawn(findNode(), args, { stdio: "inherit", env: { ...process.env, ...environment } });
  for (const signal of asked) {
    // A terminal sends Ctrl-C to the whole group, so the program may see it twice; it treats the second as the same signal.
    process.on(signal, () => child.kill(signal));
  }
  child.on("exit", (code, signal) => {
    // Whoever pressed Ctrl-C knows it; shells expect 128 and the number of the signal.
    if (signal !== null && !asked.includes(signal)) console.error(`error: the program was ended by ${signal}`);
    process.exit(code ?? 128 + (constants.signals[signal] ?? 1));
  });
}

/** Runs one of the scripts with the right Node and returns its exit status. */
export function runScript(name, args) {
  return runNode([join(root, "scripts", name), ...args]);
}

export function runNode(args) {
  const env = { ...process.env, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE || compileCache };
  const { status, signal } = spawnSync(findNode(), args, { cwd: root, stdio: "inherit", env });
  return status ?? (signal === "SIGINT" ? 130 : 1);
}

function fail(message) {
  console.error(`error: ${message}`);
  process.exit(1);
}
