import { readdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Assigned } from "../devices/device-book.ts";

/** What is remembered of a room over restarts of the agent: what processes that still run were told. */
export interface SetupRecord {
  readonly address: string;
  /** From ports that the spec names to those that are listened on. */
  readonly ports: Readonly<Record<string, number>>;
  /** Accelerators, by the name of the container that has them. */
  readonly devices: Readonly<Record<string, Assigned>>;
}

const fileName = "room.json";

export async function readSetupRecord(folder: string): Promise<SetupRecord | undefined> {
  const text = await readFile(join(folder, fileName), "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    const { address, ports, devices = {} } = JSON.parse(text) as Partial<SetupRecord>;
    return typeof address === "string" && typeof ports === "object" ? { address, ports, devices } : undefined;
  } catch {
    // Cut short by a power failure: nothing of the room can still be running.
    return undefined;
  }
}

export async function writeSetupRecord(folder: string, record: SetupRecord): Promise<void> {
  const path = join(folder, fileName);
  await writeFile(`${path}.new`, JSON.stringify(record), { mode: 0o600 });
  await rename(`${path}.new`, path);
}

/** The rooms of an earlier agent, by the uid of their pods. */
export async function readSetups(root: string): Promise<ReadonlyMap<string, SetupRecord | undefined>> {
  const names = await readdir(root).catch(() => []);
  const records = await Promise.all(names.map(async (uid) => [uid, await readSetupRecord(join(root, uid))] as const));
  return new Map(records);
}
