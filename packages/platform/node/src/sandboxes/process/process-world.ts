import { join } from "node:path";
import type { Clock } from "@trivium/runtime";
import { FileLog, type FileLogOptions } from "../../logs/file-log.ts";
import type { Cgroups } from "./processes/cgroups.ts";
import type { MemoryWatch } from "./processes/memory-watch.ts";
import type { SandboxSetup } from "./run/launch.ts";
import { RunFolder } from "./run/run-folder.ts";
import type { StartGate } from "./run/start-gate.ts";

/** What all containers of a process sandbox share. */
export interface ProcessWorld {
  readonly clock: Clock;
  /** The folder of the node. */
  readonly root: string;
  readonly boot: string;
  readonly setups: SandboxSetup;
  readonly cgroups: Cgroups | undefined;
  readonly memory: MemoryWatch;
  readonly starts: StartGate;
  readonly logBytes: number;
  readonly logFiles: number;
  onError(what: string, error: unknown): void;
}

export const containersFolder = (root: string): string => join(root, "containers");

/** Each run has its folder, and whoever knows its id finds it. */
export function runFolderOf(
  root: string,
  { podUid, container, id }: { podUid: string; container: string; id: string },
): RunFolder {
  return new RunFolder(join(containersFolder(root), podUid, container, id.slice(id.indexOf("://") + 3)));
}

export const fileLogOf = (
  { clock, logFiles }: ProcessWorld,
  { path }: RunFolder,
  { id, state }: Pick<FileLogOptions, "id" | "state">,
): FileLog => new FileLog({ id, folder: path, now: () => clock.now(), files: logFiles, state });
