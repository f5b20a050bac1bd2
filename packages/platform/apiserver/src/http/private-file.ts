import { randomBytes } from "node:crypto";
import { chmod, open, readFile, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/** Writes a file that only its owner may read, whole or not at all: a reader never sees half of it. */
export async function writePrivateFile(path: string, content: string): Promise<void> {
  const beside = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString("hex")}`);
  try {
    const file = await open(beside, "wx", 0o600);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(beside, path);
  } catch (error) {
    await rm(beside, { force: true });
    throw error;
  }
}

/** The content of a file, or undefined when there is none. Takes the rights of others away if it finds any. */
export async function readPrivateFile(path: string): Promise<string | undefined> {
  try {
    const content = await readFile(path, "utf8");
    await chmod(path, 0o600);
    return content;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
