import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { diskFault, WeightsError } from "../fault.ts";

/** For reading what another program can replace by a pipe at any time: without O_NONBLOCK, opening one waits for a writer. */
export const readFlags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/** Opens a regular file for reading. Anything else is refused, and never waited for. */
export async function openFile(path: string): Promise<FileHandle> {
  const handle = await open(path, readFlags).catch((error: unknown) => {
    throw diskFault(error, path);
  });
  if ((await handle.stat()).isFile()) return handle;
  await handle.close();
  throw new WeightsError("refused", "UnsafePath", `${path}: not a regular file`);
}
