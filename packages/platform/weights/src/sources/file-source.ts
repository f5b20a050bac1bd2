import { type BigIntStats, createReadStream } from "node:fs";
import { readdir, realpath, stat } from "node:fs/promises";
import { basename, join, relative, sep } from "node:path";
import { codeOf, WeightsError } from "../fault.ts";
import type { OpenedBytes, OpenOptions, RemoteFile } from "../transfer/remote-file.ts";
import { openFile } from "./open-file.ts";
import { checkRelativePath, maxFiles } from "./relative-path.ts";
import type { Listing, Source } from "./source.ts";

/** Files and folders of this machine, and only those under roots that the operator allows. Links are followed, and judged where they end. */
export function createFileSource(roots: readonly string[]): Source<"file"> {
  return {
    resolve: ({ path }) => listLocal(path, roots),
  };
}

export async function listLocal(path: string, roots: readonly string[]): Promise<Listing> {
  const inside = await allowed(path, roots);
  const found = await stat(inside);
  const files: RemoteFile[] = [];
  if (found.isDirectory()) await collect(inside, inside, { roots, files });
  else files.push(await localFile(inside, basename(path), roots));
  return { pinned: `file://${inside}`, files };
}

interface Walk {
  readonly roots: readonly string[];
  readonly files: RemoteFile[];
}

async function collect(top: string, directory: string, walk: Walk): Promise<void> {
  for (const entry of (await readdir(directory, { withFileTypes: true })).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) await collect(top, path, walk);
    else if (entry.isFile() || entry.isSymbolicLink())
      walk.files.push(await localFile(path, relative(top, path), walk.roots));
    if (walk.files.length > maxFiles)
      throw new WeightsError("refused", "TooManyFiles", `${top}: more than ${maxFiles} files`);
  }
}

async function localFile(at: string, name: string, roots: readonly string[]): Promise<RemoteFile> {
  const path = name.split(sep).join("/");
  checkRelativePath(path, at);
  const inside = await allowed(at, roots);
  const found = await stat(inside, { bigint: true });
  if (!found.isFile()) throw new WeightsError("refused", "UnsafePath", `${at}: a link to something that is not a file`);
  return {
    path,
    shownAs: at,
    size: Number(found.size),
    version: versionOf(found),
    place: inside,
    open: (options) => openLocal(inside, options),
    relist: () => localFile(at, name, roots),
  };
}

async function openLocal(path: string, { range, signal }: OpenOptions): Promise<OpenedBytes> {
  const handle = await openFile(path);
  const found = await handle.stat({ bigint: true });
  const start = range?.start ?? 0;
  const end = range === undefined ? {} : { end: Math.max(start, range.end - 1) };
  const body = createReadStream("", { fd: handle, start, ...end, signal, highWaterMark: 512 * 1024 });
  return {
    start,
    total: Number(found.size),
    version: versionOf(found),
    protocol: "file",
    body,
    cancel: () => {
      body.on("error", () => {});
      body.destroy();
    },
  };
}

/** The real place of a path, if it lies under a root. What lies outside is not told apart from what is not there. */
async function allowed(path: string, roots: readonly string[]): Promise<string> {
  const refuse = (cause?: unknown): WeightsError =>
    new WeightsError("not-allowed", "OutsideRoots", `${path}: not in an allowed folder; allow it with --allow-root`, {
      cause,
    });
  const realRoots = await Promise.all(roots.map((root) => realpath(root).catch(() => undefined)));
  const isUnder = (place: string): boolean =>
    realRoots.some(
      (root) => root !== undefined && (place === root || place.startsWith(root === sep ? sep : root + sep)),
    );
  try {
    const real = await realpath(path);
    if (isUnder(real)) return real;
  } catch (error) {
    if (isUnder(join(path)) && codeOf(error) === "ENOENT") {
      throw new WeightsError("not-found", "NotFound", `${path}: file or folder not found`, { cause: error });
    }
    throw refuse(error);
  }
  throw refuse();
}

function versionOf(found: BigIntStats): string {
  return `${found.ino}-${found.size}-${found.mtimeNs}`;
}
