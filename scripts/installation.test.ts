import assert from "node:assert/strict";
import { execFile, execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { promisify } from "node:util";
import { isInstalled, markInstalled, withInstallLock } from "./installation.mjs";

const here = { platform: "linux", arch: "x64" };
const lockOf = (packages: object): string => JSON.stringify({ lockfileVersion: 3, packages });

/** A checkout with two packages, one of them for some machines only, installed by npm as it is told. */
function checkout(t: TestContext, wanted: object, found: object): string {
  const root = mkdtempSync(join(tmpdir(), "trivium-installation-"));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  mkdirSync(join(root, "node_modules"));
  writeFileSync(join(root, "package-lock.json"), lockOf({ "": { name: "x" }, ...wanted }));
  writeFileSync(join(root, "node_modules", ".package-lock.json"), lockOf(found));
  for (const path of Object.keys(found)) {
    mkdirSync(join(root, path), { recursive: true });
    writeFileSync(join(root, path, "package.json"), "{}");
  }
  return root;
}

const one = { "node_modules/one": { version: "1.0.0", integrity: "sha512-a", dependencies: { b: "1", a: "1" } } };
const reordered = { "node_modules/one": { dependencies: { a: "1", b: "1" }, version: "1.0.0", integrity: "sha512-a" } };
const only = (os: string | string[], cpu: string | string[]) => ({
  [`node_modules/for-${os}`]: { version: "1.0.0", optional: true, os, cpu },
});

test("what npm ci installed counts, in whatever order it wrote it down", (t) => {
  assert.equal(isInstalled(checkout(t, one, one), here), true);
  assert.equal(isInstalled(checkout(t, one, reordered), here), true);
  assert.equal(isInstalled(checkout(t, { ...one, ...only(["darwin"], ["arm64"]) }, one), here), true);
  assert.equal(isInstalled(checkout(t, { ...one, ...only("linux", "arm64") }, one), here), true);
});

test("another version, content or list of packages does not count", (t) => {
  const newer = { "node_modules/one": { ...one["node_modules/one"], version: "1.0.1" } };
  const other = { "node_modules/one": { ...one["node_modules/one"], integrity: "sha512-b" } };
  for (const found of [{}, newer, other, { ...one, "node_modules/more": { version: "1.0.0" } }])
    assert.equal(isInstalled(checkout(t, one, found), here), false, JSON.stringify(found));
});

test("a copy that ended halfway, has no list, or comes from another kind of machine does not count", (t) => {
  const half = checkout(t, one, one);
  rmSync(join(half, "node_modules", "one", "package.json"));
  const unlisted = checkout(t, one, one);
  rmSync(join(unlisted, "node_modules", ".package-lock.json"));
  const foreign = checkout(t, { ...one, ...only(["linux"], ["x64"]), ...only(["darwin"], ["arm64"]) }, one);
  assert.deepEqual(
    [half, unlisted, foreign].map((root) => isInstalled(root, here)),
    [false, false, false],
  );
  // Tried and not to be had: asked for once, not at every start.
  markInstalled(foreign);
  assert.equal(isInstalled(foreign, here), true);
  rmSync(join(foreign, "node_modules", "one"), { recursive: true });
  assert.equal(isInstalled(foreign, here), false);
});

test("a lock of a process that is gone is cleared away, and none outlives what it was taken for", (t) => {
  const root = checkout(t, one, one);
  writeFileSync(join(root, ".installing"), String(execFileSync(process.execPath, ["-p", "process.pid"])).trim());
  assert.equal(
    withInstallLock(root, () => existsSync(join(root, ".installing"))),
    true,
  );
  assert.equal(existsSync(join(root, ".installing")), false);
  assert.throws(() => withInstallLock(root, () => assert.fail("on the way")), /on the way/);
  assert.equal(existsSync(join(root, ".installing")), false);
});

/** A project of one workspace and nothing from a registry, in which the scripts are those of this one. */
function realProject(t: TestContext): string {
  const root = mkdtempSync(join(tmpdir(), "trivium-project-"));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  for (const name of ["toolchain.mjs", "installation.mjs"])
    cpSync(join(import.meta.dirname, name), join(root, "scripts", name));
  mkdirSync(join(root, "apps", "one", "bin"), { recursive: true });
  writeFileSync(join(root, "apps", "one", "bin", "one.mjs"), "");
  const project = { name: "p", version: "1.0.0", workspaces: ["apps/*"] };
  const one = { version: "1.0.0", bin: { one: "bin/one.mjs" } };
  const workspace = { "apps/one": one, "node_modules/one": { resolved: "apps/one", link: true } };
  const lock = { ...project, lockfileVersion: 3, requires: true, packages: { "": project, ...workspace } };
  writeFileSync(join(root, "package.json"), JSON.stringify(project));
  writeFileSync(join(root, "package-lock.json"), JSON.stringify(lock));
  writeFileSync(join(root, "apps", "one", "package.json"), JSON.stringify({ name: "one", ...one }));
  writeFileSync(join(root, "go.mjs"), 'import { ensureInstalled } from "./scripts/toolchain.mjs"; ensureInstalled();');
  return root;
}

const installs = /^installing dependencies …$/m;

async function ensure(root: string): Promise<string> {
  const env = { ...process.env, npm_config_offline: "true" };
  return (await promisify(execFile)(process.execPath, [join(root, "go.mjs")], { cwd: root, env })).stderr;
}

test("of commands that start at once one installs; later ones install only what is not as npm ci left it", async (t) => {
  const root = realProject(t);
  const printed = await Promise.all([1, 2, 3].map(() => ensure(root)));
  assert.equal(printed.filter((text) => installs.test(text)).length, 1, printed.join());
  assert.equal(existsSync(join(root, ".installing")), false);
  // As after a plain npm ci.
  rmSync(join(root, "node_modules", ".trivium-lock"));
  assert.equal(await ensure(root), "");
  rmSync(join(root, "node_modules", "one"));
  assert.match(await ensure(root), installs);
  assert.ok(existsSync(join(root, "node_modules", "one", "package.json")));
  for (const end of ["nowhere", "apps/one/package.json"]) {
    rmSync(join(root, "node_modules", ".bin", "one"));
    symlinkSync(join(root, end), join(root, "node_modules", ".bin", "one"));
    assert.equal(isInstalled(root), false, end);
  }
});
