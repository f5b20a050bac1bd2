import { realpath, stat } from "node:fs/promises";
import { normalize, sep } from "node:path";
import { type LocalFile, type LocalRoot, localDigest, localFile, whereIs } from "@trivium/domain";
import { type Answered, answer } from "@trivium/reconcile";
import { digestFile } from "@trivium/weights";

/**
 * Answers about files where this process runs, under the given folders only: what a path says and what it leads to through
 * symbolic links both have to lie there.
 */
export function localFileAnswers(roots: readonly LocalRoot[], now: () => number): Answered[] {
  return [
    answer(localFile, ({ path }) => describe(path, roots, now)) as Answered,
    answer(localDigest, ({ path }, { signal }) => digestOf(path, roots, signal)) as Answered,
  ];
}

async function describe(path: string, roots: readonly LocalRoot[], now: () => number): Promise<LocalFile | undefined> {
  try {
    const found = await stat(await findInside(path, roots), { bigint: true });
    if (!found.isFile() && !found.isDirectory()) return { is: "unreadable", why: "not a file or folder" };
    return {
      is: found.isFile() ? "file" : "folder",
      bytes: Number(found.size),
      version: `mtime:${found.mtimeNs}`,
      at: now(),
    };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    return { is: "unreadable", why: code === "EACCES" ? "permission denied" : message };
  }
}

async function digestOf(path: string, roots: readonly LocalRoot[], signal: AbortSignal): Promise<string> {
  return digestFile(await findInside(path, roots), signal);
}

async function findInside(path: string, roots: readonly LocalRoot[]): Promise<string> {
  const place = whereIs(normalize(path), roots);
  if (place === undefined) throw new Error("not in a folder that the operator allows");
  const real = await realpath(place);
  const allowed = await Promise.all(roots.map((root) => realpath(root.realPath ?? root.path).catch(() => undefined)));
  const isInside = allowed.some((root) => root !== undefined && (real === root || real.startsWith(root + sep)));
  if (!isInside) throw new Error("it points outside of the folders that the operator allows");
  return real;
}
