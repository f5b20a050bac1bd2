import type { BigIntStats } from "node:fs";
import { stat } from "node:fs/promises";
import { WeightsError } from "../fault.ts";
import { DigestFollower } from "./parts/digest-follower.ts";

/**
 * The SHA-256 of a whole file, in lower case. A large file is read in a thread of its own, so that nothing else of the process waits
 * for it, and no longer than until the signal is aborted. A file that changes meanwhile has no digest.
 */
export async function digestFile(path: string, signal?: AbortSignal): Promise<string> {
  const found = await stat(path, { bigint: true });
  signal?.throwIfAborted();
  // A folder is refused where it is read.
  if (!found.isFile() && !found.isDirectory())
    throw new WeightsError("refused", "UnsafePath", `${path}: not a regular file`);
  const digest = await digestOf(path, Number(found.size), signal);
  if (isSame(found, await stat(path, { bigint: true }))) return digest;
  throw new WeightsError(
    "mismatch",
    "DigestMismatch",
    `${path}: changed while it was read; try again when it is complete`,
  );
}

async function digestOf(path: string, size: number, signal: AbortSignal | undefined): Promise<string> {
  const follower = new DigestFollower({ path, total: size, algorithm: undefined });
  const stop = () => void follower.stop();
  signal?.addEventListener("abort", stop, { once: true });
  try {
    return (await follower.finish(size)).sha256;
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  } finally {
    signal?.removeEventListener("abort", stop);
    await follower.stop();
  }
}

const isSame = (before: BigIntStats, after: BigIntStats): boolean =>
  before.ino === after.ino && before.size === after.size && before.mtimeNs === after.mtimeNs;
