import { mkdir, mkdtemp, readdir, readFile, readlink, rename, rm, stat, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { PayloadFile } from "./payload.ts";

/**
 * Makes a folder show exactly these files, all at once: they are written into a new folder beside the old one, and the link `..data`,
 * through which every visible name leads, is moved over in one step. A reader sees the old files or the new ones, never a mix.
 * Says whether anything changed.
 */
export async function writePayload(folder: string, files: ReadonlyMap<string, PayloadFile>): Promise<boolean> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const before = await readlink(join(folder, "..data")).catch(() => undefined);
  if (before !== undefined && (await isSame(join(folder, before), files))) {
    await showNames(folder, files);
    return false;
  }
  const fresh = await mkdtemp(join(folder, `..${new Date().toISOString().slice(0, 19).replace(/[-:T]/g, "_")}.`));
  for (const [path, { content, mode }] of files) {
    const target = join(fresh, path);
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    await writeFile(target, content, { mode: ownerOnly(mode), flag: "wx" });
  }
  const next = join(folder, "..data_tmp");
  await rm(next, { force: true });
  await symlink(fresh.slice(folder.length + 1), next);
  await rename(next, join(folder, "..data"));
  await showNames(folder, files);
  await clearOld(folder, fresh.slice(folder.length + 1));
  return true;
}

/** Everything on this machine can read what others may read, so others may not: a local volume is for one person. */
const ownerOnly = (mode: number): number => mode & 0o700;

async function isSame(folder: string, files: ReadonlyMap<string, PayloadFile>): Promise<boolean> {
  const present = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => undefined);
  if (present === undefined || present.filter((entry) => entry.isFile()).length !== files.size) return false;
  for (const [path, { content, mode }] of files) {
    const file = join(folder, path);
    const found = await readFile(file).catch(() => undefined);
    if (found === undefined || !found.equals(content)) return false;
    if (((await stat(file)).mode & 0o777) !== ownerOnly(mode)) return false;
  }
  return true;
}

/** The first part of each path is a link through `..data`; names that are no longer there go. */
async function showNames(folder: string, files: ReadonlyMap<string, PayloadFile>): Promise<void> {
  const wanted = new Set([...files.keys()].map((path) => path.split("/", 1)[0] as string));
  const present = new Set((await readdir(folder)).filter((name) => !name.startsWith("..")));
  for (const name of wanted) if (!present.has(name)) await symlink(`..data/${name}`, join(folder, name));
  for (const name of present) if (!wanted.has(name)) await rm(join(folder, name), { recursive: true, force: true });
}

async function clearOld(folder: string, current: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const isOld = name.startsWith("..") && name !== "..data" && name !== current;
    if (isOld) await rm(join(folder, name), { recursive: true, force: true });
  }
}
