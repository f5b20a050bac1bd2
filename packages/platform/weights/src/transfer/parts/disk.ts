import { mkdir, statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { codeOf, diskFault, WeightsError } from "../../fault.ts";

/** Makes a folder and those above it, or says in our words why not. */
export async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true });
  } catch (error) {
    // Asked for many at once, a read-only disk answers that something is missing; asked for one, it tells the truth.
    if (codeOf(error) === "ENOENT" && dirname(path) !== path) {
      await makeFolder(dirname(path));
      await mkdir(path).catch((cause) => {
        throw diskFault(cause, path);
      });
      return;
    }
    throw diskFault(error, path);
  }
}

/** Fails before the first byte when the disk under `directory` cannot take `needed` more bytes. */
export async function checkSpace(directory: string, needed: number): Promise<void> {
  const disk = await statfs(directory).catch((error) => {
    throw diskFault(error, directory);
  });
  const free = disk.bavail * disk.bsize;
  // Some network file systems report no size at all; there only the writing will tell.
  if (disk.blocks === 0 || free >= needed) return;
  const message = `${directory}: needs ${needed} more bytes but only ${free} are free; free ${needed - free} bytes, or use another disk`;
  throw new WeightsError("no-space", "NoSpace", message);
}
