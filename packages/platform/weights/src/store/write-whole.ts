import { randomUUID } from "node:crypto";
import { open, readFile, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { diskFault } from "../fault.ts";
import { syncDirectory } from "../transfer/part-file.ts";

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

/** The object in a JSON file; undefined when it is not there or not whole. */
export async function readRecord(path: string): Promise<Record<string, unknown> | undefined> {
  try {
    const value: unknown = JSON.parse(await readFile(path, "utf8"));
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
