// Runs on whatever Node starts it (20 or newer): whether exactly the packages of the lock file are installed, and one installer at a time.
import { createHash } from "node:crypto";
import { existsSync, linkSync, readFileSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const thisMachine = { platform: process.platform, arch: process.arch };

/**
 * Whether node_modules holds what package-lock.json says. npm writes down what it installed, so the two lists are compared, and every
 * folder of the list must exist: a copy that ended halfway or comes from another kind of machine is not an installation.
 */
export function isInstalled(root, machine = thisMachine) {
  const wanted = packagesOf(join(root, "package-lock.json"));
  const found = packagesOf(join(root, "node_modules", ".package-lock.json"));
  if (wanted === undefined || found === undefined) return false;
  if (Object.keys(found).some((path) => wanted[path] === undefined)) return false;
  const isTried = stampOf(root) === digestOf(root);
  return Object.entries(wanted).every(([path, entry]) => {
    if (path === "") return true;
    if (found[path] !== undefined) return isSame(entry, found[path]) && isWhole(root, path, entry);
    // An optional package that could not be had is not asked for again at every start.
    return entry.optional === true && (isTried || !fits(entry, machine));
  });
}

/** Remembers that an installation was tried with this lock file. */
export function markInstalled(root) {
  writeFileSync(stampPath(root), digestOf(root));
}

const stampPath = (root) => join(root, "node_modules", ".trivium-lock");

function stampOf(root) {
  return existsSync(stampPath(root)) ? readFileSync(stampPath(root), "utf8") : undefined;
}

function digestOf(root) {
  return createHash("sha256")
    .update(readFileSync(join(root, "package-lock.json")))
    .digest("hex");
}

function packagesOf(path) {
  try {
    return JSON.parse(readFileSync(path, "utf8")).packages;
  } catch {
    return undefined;
  }
}

const isSame = (one, other) => JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));

function sorted(value) {
  if (Array.isArray(value) || typeof value !== "object" || value === null) return value;
  const names = Object.keys(value).sort();
  return Object.fromEntries(names.map((name) => [name, sorted(value[name])]));
}

function isWhole(root, path, { bin = {} }) {
  if (!existsSync(join(root, path, "package.json"))) return false;
  const isWorkspace = !path.includes("node_modules/");
  // npm writes its list also where it changes the lock file only, and links no program then.
  return !isWorkspace || Object.entries(bin).every(([name, file]) => leadsTo(root, name, join(root, path, file)));
}

function leadsTo(root, program, file) {
  const link = join(root, "node_modules", ".bin", program);
  if (process.platform === "win32") return existsSync(`${link}.cmd`);
  return existsSync(link) && realpathSync(link) === realpathSync(file);
}

/** Of packages that come once for each C library, npm installs one; which one is right is not judged here. */
function fits({ os, cpu, libc }, { platform, arch }) {
  const allows = (list, value) => list === undefined || [list].flat().includes(value);
  return libc === undefined && allows(os, platform) && allows(cpu, arch);
}

/** One process at a time does this in a checkout; the others wait until it ended. What a killed process left behind is cleared away. */
export function withInstallLock(root, act, { onWait = () => {} } = {}) {
  const path = join(root, ".installing");
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, String(process.pid));
  try {
    for (let isTold = false; !take(draft, path); pause(200)) {
      const holder = holderOf(path);
      if (holder === undefined) continue;
      if (!isAlive(holder, path)) clear(path, holder);
      else if (!isTold) {
        isTold = true;
        onWait(holder);
      }
    }
  } finally {
    rmSync(draft, { force: true });
  }
  try {
    return act();
  } finally {
    rmSync(path, { force: true });
  }
}

/** A link appears with its content, so nobody sees a lock without a holder. */
function take(draft, path) {
  try {
    linkSync(draft, path);
    return true;
  } catch (error) {
    if (error.code === "EEXIST") return false;
    throw error;
  }
}

function holderOf(path) {
  try {
    return Number(readFileSync(path, "utf8"));
  } catch {
    return undefined;
  }
}

const longest = 30 * 60_000;

function isAlive(pid, path) {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return error.code === "EPERM";
  }
  // The number may belong to another process by now.
  return !existsSync(path) || Date.now() - statSync(path).mtimeMs < longest;
}

/** Two may find the same lock stale: only what was seen is taken away, another one is put back. */
function clear(path, holder) {
  const aside = `${path}.${process.pid}.stale`;
  try {
    renameSync(path, aside);
    if (holderOf(aside) !== holder) take(aside, path);
  } catch (error) {
    if (error.code !== "ENOENT") throw error;
  } finally {
    rmSync(aside, { force: true });
  }
}

function pause(milliseconds) {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}
