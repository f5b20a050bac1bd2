import { lstat, mkdir, rm, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { MountFault } from "./mount-fault.ts";

const memory = "/dev/shm";

export interface EmptyFolder {
  readonly uid: string;
  readonly volume: string;
  /** Where it is when it is on a disk. */
  readonly folder: string;
}

/** An `emptyDir` of a pod. One that asks for memory gets it where the machine has a file system in memory, and a folder elsewhere. */
export async function makeEmptyFolder(empty: EmptyFolder, medium: string | undefined): Promise<string> {
  const isInMemory = medium === "Memory" && (await isFolder(memory));
  const path = isInMemory ? inMemory(empty.uid, empty.volume) : empty.folder;
  await mkdir(path, { recursive: true, mode: 0o700 });
  const found = await lstat(path);
  // Everybody may write to the file system in memory, so somebody may have been there first.
  const isOurs = process.getuid === undefined || found.uid === process.getuid();
  if (!found.isDirectory() || !isOurs) throw new MountFault(`${path} is not a folder of this node`);
  if (isInMemory) await leaveTrace(empty.folder, path);
  return path;
}

/** In the room one sees where the volume is, and whoever clears the room finds it. */
async function leaveTrace(folder: string, path: string): Promise<void> {
  await mkdir(dirname(folder), { recursive: true, mode: 0o700 });
  await symlink(path, folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
  });
}

/** Removes what a pod has in memory; what is on a disk goes with its room. */
export async function clearMemory(uid: string, volumes: readonly string[]): Promise<void> {
  await Promise.all(volumes.map((volume) => rm(inMemory(uid, volume), { recursive: true, force: true })));
}

const inMemory = (uid: string, volume: string): string => join(memory, `trivium-${uid}-${volume}`);

const isFolder = (path: string): Promise<boolean> =>
  lstat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
