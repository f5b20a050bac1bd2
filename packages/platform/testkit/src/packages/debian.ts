import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { access, mkdir, readdir, readFile, rename, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";

const execute = promisify(execFile);

/** Programs of other people, ready to be started; or why there are none, in words that a skipped test can show. */
export type Packages =
  | { readonly is: "there"; readonly root: string; readonly environment: Readonly<Record<string, string>> }
  | { readonly is: "missing"; readonly why: string };

const programFolders = ["usr/bin", "usr/sbin", "bin", "sbin"];

const asked = new Map<string, Promise<Packages>>();

/**
 * Debian packages with what they depend on, unpacked into a cache folder outside the checkout and never installed: the machine stays as
 * it is. Their signatures are checked by apt. `TRIVIUM_PACKAGES=off` says that none are wanted.
 */
export function debianPackages(...names: readonly string[]): Promise<Packages> {
  const key = [...names].sort().join(" ");
  const known = asked.get(key) ?? unpackOnce(key.split(" "));
  asked.set(key, known);
  return known;
}

/** Where a program of these packages is; one that the machine has installed already serves as well. */
export function programOf(packages: Extract<Packages, { is: "there" }>, name: string): string {
  const inside = programFolders.map((folder) => join(packages.root, folder, name));
  const outside = (process.env.PATH ?? "").split(delimiter).map((folder) => join(folder, name));
  const found = [...inside, ...outside, `/usr/sbin/${name}`].find((path) => existsSync(path));
  if (found === undefined) throw new Error(`${name}: not in the packages that were asked for`);
  return found;
}

/** A PATH on which the programs of these packages come before those of the machine. */
export function searchPathOf(packages: Extract<Packages, { is: "there" }>): string {
  const inside = programFolders.map((folder) => join(packages.root, folder)).filter((folder) => existsSync(folder));
  return [...inside, process.env.PATH ?? ""].join(delimiter);
}

async function unpackOnce(names: readonly string[]): Promise<Packages> {
  if (process.env.TRIVIUM_PACKAGES === "off") return { is: "missing", why: "TRIVIUM_PACKAGES=off" };
  const release = await debianRelease();
  if (release === undefined) return { is: "missing", why: "this machine is no Debian" };
  const root = join(cacheFolder(), `${release}-${process.arch}`, digestOf(names));
  try {
    if (!(await exists(root))) await unpack(names, root);
    return { is: "there", root, environment: { LD_LIBRARY_PATH: (await libraryFolders(root)).join(delimiter) } };
  } catch (error) {
    return { is: "missing", why: `${names.join(", ")}: ${firstLineOf(error)}` };
  }
}

/** Unpacks beside the place and moves there in one step, so that processes that do the same never see a half of it. */
async function unpack(names: readonly string[], root: string): Promise<void> {
  const fresh = `${root}.${process.pid}.new`;
  const archives = join(fresh, "archives");
  await mkdir(archives, { recursive: true });
  try {
    const wanted = await withDependencies(names);
    if (wanted.length > 0) await run("apt-get", ["-q", "download", ...wanted], archives);
    for (const archive of await readdir(archives)) await run("dpkg-deb", ["-x", join(archives, archive), fresh], fresh);
    await rm(archives, { recursive: true });
    await rename(fresh, root).catch(async (error) => {
      if (!(await exists(root))) throw error;
    });
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
}

/** What apt would install, as `name=version`. Nothing for what is installed already. */
async function withDependencies(names: readonly string[]): Promise<string[]> {
  const list = () =>
    run(
      "apt-get",
      ["-o", "Debug::NoLocking=1", "install", "--print-uris", "-qq", "--no-install-recommends", ...names],
      "/",
    );
  const text = await list().catch(async (error) => {
    if (process.getuid?.() !== 0) throw error;
    await run("apt-get", ["-qq", "update"], "/");
    return list();
  });
  return [...text.matchAll(/^'\S+' ([^_\s]+)_([^_\s]+)_\S+\.deb /gm)].map(
    ([, name, version]) => `${name}=${decodeURIComponent(version ?? "")}`,
  );
}

async function run(program: string, args: readonly string[], cwd: string): Promise<string> {
  const { stdout } = await execute(program, args, { cwd, timeout: 600_000, maxBuffer: 16 * 1024 * 1024 });
  return stdout;
}

async function libraryFolders(root: string): Promise<string[]> {
  const folders = [];
  for (const base of ["usr/lib", "lib"]) {
    const names = await readdir(join(root, base)).catch(() => []);
    folders.push(...names.filter((name) => name.endsWith("-linux-gnu")).map((name) => join(root, base, name)));
  }
  return folders;
}

async function debianRelease(): Promise<string | undefined> {
  const text = await readFile("/etc/os-release", "utf8").catch(() => "");
  const value = (name: string) => new RegExp(`^${name}="?([^"\\n]+)"?$`, "m").exec(text)?.[1];
  const isDebian = value("ID") === "debian" || (value("ID_LIKE") ?? "").split(" ").includes("debian");
  return isDebian ? `${value("ID")}-${value("VERSION_ID") ?? "rolling"}` : undefined;
}

/** Outside of every checkout, so that it survives them. */
export function cacheFolder(): string {
  return join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "trivium", "packages");
}

function digestOf(names: readonly string[]): string {
  return createHash("sha256").update(names.join(" ")).digest("hex").slice(0, 16);
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/** apt says much; its errors begin with `E:`. */
function firstLineOf(error: unknown): string {
  const text = String((error as { stderr?: unknown }).stderr || (error instanceof Error ? error.message : error));
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return lines.find((line) => line.startsWith("E:")) ?? lines[0] ?? "apt failed";
}
