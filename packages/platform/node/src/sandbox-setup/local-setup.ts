import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Setup } from "../sandboxes/process/run/launch.ts";
import type { PodVolumes } from "../volumes/pod-volumes.ts";
import type { Allocation } from "./addresses/allocations.ts";
import type { VolumeCacheReader } from "./volume-cache.ts";

/** The room of one pod: what the others of this folder need to know of it. */
export interface LocalSetup extends Setup {
  readonly folder: string;
  readonly allocation: Allocation;
  readonly reader: VolumeCacheReader;
  readonly volumes: PodVolumes;
  /** False once it is closed: nothing may be made in it any more. */
  isOpen(): boolean;
}

export interface ContainerFolders {
  readonly home: string;
  readonly temporary: string;
  readonly work: string;
  readonly terminationLog: string;
}

/** Folders of a room that belong to one container. */
export async function makeContainerFolders(setup: LocalSetup, container: string): Promise<ContainerFolders> {
  const base = join(setup.folder, "containers", container);
  const folders = { home: join(base, "home"), temporary: join(base, "tmp"), work: join(base, "work") };
  for (const folder of Object.values(folders)) await mkdir(folder, { recursive: true, mode: 0o700 });
  return { ...folders, terminationLog: join(base, "termination-log") };
}
