import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { diskFault } from "../fault.ts";
import { syncDirectory } from "../transfer/parts/part-file.ts";

/** A reader sees the old file or the new one, never a half, also after a power cut. */
export async function writeWhole(path: string, text: string): Promise<void> {
  const fresh = `${path}.${randomUUID()}.new`;
  try {
    const handle = await open(fresh, "wx");
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(fresh, path);
    await syncDirectory(dirname(path));
  } catch (error) {
    await rm(fresh, { force: true }).catch(() => {});
    throw diskFault(error, path);
  }
}

/** More than the record of any model; what is longer is none of ours. */
const longestRecord = 64 * 1024 * 1024;

/** The object in a JSON file; undefined when it is not there or not whole. */
export async function readRecord(path: string): Promise<Record<string, unknown> | undefined> {
  try {
    const value: unknown = JSON.parse(await readText(path));
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

/** Pods can write into the volumes that hold a store: a pipe or a device there must not be waited for. */
async function readText(path: string): Promise<string> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const found = await handle.stat();
    return found.isFile() && found.size <= longestRecord ? await handle.readFile("utf8") : "";
  } finally {
    await handle.close();
  }
}
