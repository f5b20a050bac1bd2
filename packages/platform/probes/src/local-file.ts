import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { realpath, stat } from "node:fs/promises";
import { sep } from "node:path";
import { pipeline } from "node:stream/promises";
import { type LocalFile, localDigest, localFile } from "@trivium/domain";
import { type Answered, answer } from "@trivium/reconcile";

/**
 * Answers about files where this process runs, under the given folders only: what a path says and what it leads to through
 * symbolic links both have to lie there.
 */
export function localFileAnswers(roots: readonly string[], now: () => number): Answered[] {
  return [
    answer(localFile, ({ path }) => describe(path, roots, now)) as Answered,
    answer(localDigest, ({ path }, { signal }) => digestOf(path, roots, signal)) as Answered,
  ];
}

async function describe(path: string, roots: readonly string[], now: () => number): Promise<LocalFile | undefined> {
  try {
    await refuseEscape(path, roots);
    const found = await stat(path, { bigint: true });
    if (!found.isFile() && !found.isDirectory()) return { is: "unreadable", why: "it is neither a file nor a folder" };
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

async function digestOf(path: string, roots: readonly string[], signal: AbortSignal): Promise<string> {
  await refuseEscape(path, roots);
  const hash = createHash("sha256");
  await pipeline(createReadStream(path, { highWaterMark: 1 << 20 }), hash, { signal });
  return hash.digest("hex");
}

async function refuseEscape(path: string, roots: readonly string[]): Promise<void> {
  const real = await realpath(path);
  const allowed = await Promise.all(roots.map((root) => realpath(root).catch(() => undefined)));
  const isInside = allowed.some((root) => root !== undefined && (real === root || real.startsWith(root + sep)));
  if (!isInside) throw new Error("it leads out of the folders that the operator allows");
}
