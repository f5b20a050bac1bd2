import { statfs } from "node:fs/promises";
import { diskFault, WeightsError } from "../fault.ts";

/** Fails before the first byte when the disk under `directory` cannot take `needed` more bytes. */
export async function checkSpace(directory: string, needed: number): Promise<void> {
  const disk = await statfs(directory).catch((error) => {
    throw diskFault(error, directory);
  });
  const free = disk.bavail * disk.bsize;
  // Some network file systems report no size at all; there only the writing will tell.
  if (disk.blocks === 0 || free >= needed) return;
  const message = `${directory}: ${needed} more bytes are needed and ${free} are free; free ${needed - free} or use another disk`;
  throw new WeightsError("no-space", "NoSpace", message);
}
