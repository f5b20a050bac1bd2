import { stat } from "node:fs/promises";
import { DigestFollower } from "./parts/digest-follower.ts";

/**
 * The SHA-256 of a whole file, in lower case. A large file is read in a thread of its own, so that nothing else of the process waits
 * for it, and no longer than until the signal is aborted.
 */
export async function digestFile(path: string, signal?: AbortSignal): Promise<string> {
  const { size } = await stat(path);
  signal?.throwIfAborted();
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
