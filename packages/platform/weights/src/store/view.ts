import { randomUUID } from "node:crypto";
import { link, realpath, rename, rm, stat, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { codeOf, diskFault, WeightsError } from "../fault.ts";
import { checkRelativePath } from "../sources/relative-path.ts";
import { makeFolder } from "../transfer/parts/disk.ts";
import { isInside } from "./inside.ts";
import type { Layout } from "./layout.ts";
import type { Manifest, StoredFile } from "./manifest.ts";

/** Where a hard link cannot be made: another file system, one without hard links, too many of them. */
const needsSymlink = new Set(["EXDEV", "EPERM", "ENOTSUP", "EOPNOTSUPP", "EMLINK"]);

/** A folder that shows a model; `name` is for the one file of a model that has only one. */
export interface View {
  readonly path: string;
  readonly name?: string;
}

/** The files of a model by the names that a view shows them under. */
export function shownFiles({ files, source }: Manifest, { name }: View): readonly StoredFile[] {
  if (name === undefined) return files;
  const [file, ...more] = files;
  if (file !== undefined && more.length === 0) return [{ ...file, path: name }];
  const message = `${source}: --name needs one file but the model has ${files.length}; select one with --include`;
  throw new WeightsError("refused", "InvalidOption", message);
}

/** Shows a model's files under their own names in a folder, as links to the blobs. Each appears whole or not at all. */
export async function showView(layout: Layout, manifest: Manifest, view: View): Promise<void> {
  const directory = view.path;
  const files = shownFiles(manifest, view);
  try {
    await makeFolder(directory);
    const top = await realpath(directory);
    for (const { path, sha256 } of files) {
      checkRelativePath(path, manifest.source);
      await showFile(layout.blob(sha256), top, path);
    }
  } catch (error) {
    throw diskFault(error, directory);
  }
}

async function showFile(blob: string, top: string, path: string): Promise<void> {
  const target = await targetIn(top, path);
  if (await isSameFile(blob, target)) return;
  await replace(target, (fresh) => linkTo(blob, fresh));
}

/** Where a file is shown; no link on the way leads out of the folder. */
export async function targetIn(top: string, path: string): Promise<string> {
  const target = join(top, path);
  await makeFolder(dirname(target));
  const parent = await realpath(dirname(target));
  if (!isInside(top, parent)) {
    throw new WeightsError("refused", "UnsafePath", `${target}: a link in its path points outside of ${top}`);
  }
  return target;
}

async function linkTo(blob: string, fresh: string): Promise<void> {
  try {
    await link(blob, fresh);
  } catch (error) {
    if (!needsSymlink.has(codeOf(error) ?? "")) throw error;
    await symlink(await realpath(blob), fresh);
  }
}

/** A program that reads the folder finds what was at the target, or what `make` puts there. */
export async function replace(target: string, make: (fresh: string) => Promise<void>): Promise<void> {
  const fresh = `${target}.${randomUUID()}.new`;
  await make(fresh);
  // Renaming one hard link over another of the same file does nothing and leaves both, hence the question above.
  await rename(fresh, target).catch(async (error) => {
    await rm(fresh, { force: true });
    throw error;
  });
}

export async function isSameFile(a: string, b: string): Promise<boolean> {
  const [one, other] = await Promise.all([a, b].map((path) => stat(path, { bigint: true }).catch(() => undefined)));
  return one !== undefined && other !== undefined && one.ino === other.ino && one.dev === other.dev;
}
