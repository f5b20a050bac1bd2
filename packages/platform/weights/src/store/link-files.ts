import { lstat, readlink, realpath, symlink } from "node:fs/promises";
import { diskFault, WeightsError } from "../fault.ts";
import { makeFolder } from "../transfer/parts/disk.ts";
import type { RemoteFile } from "../transfer/remote-file.ts";
import { replace, targetIn, type View } from "./view.ts";

/**
 * Shows files of this machine in a folder as symbolic links: nothing is copied and the files stay their owner's. A hard link would keep
 * the bytes on the disk after the owner deleted the file.
 */
export async function linkFiles(files: readonly RemoteFile[], view: View, source: string): Promise<void> {
  const { name } = view;
  if (name !== undefined && files.length !== 1) {
    const message = `${source}: --name needs one file but the model has ${files.length}; select one with --include`;
    throw new WeightsError("refused", "InvalidOption", message);
  }
  try {
    await makeFolder(view.path);
    const top = await realpath(view.path);
    for (const file of files) await linkFile(placeOf(file, source), await targetIn(top, name ?? file.path));
  } catch (error) {
    throw diskFault(error, view.path);
  }
}

function placeOf({ place }: RemoteFile, source: string): string {
  if (place !== undefined) return place;
  throw new WeightsError(
    "refused",
    "InvalidOption",
    `${source}: --link needs files of this machine, such as file:///path`,
  );
}

async function linkFile(place: string, target: string): Promise<void> {
  const found = await lstat(target).catch(() => undefined);
  if (found?.isSymbolicLink() && (await readlink(target)) === place) return;
  await replace(target, (fresh) => symlink(place, fresh));
}
