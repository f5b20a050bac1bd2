import { readdirSync, statSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";

/** A byte in one of the files of a log. */
export interface LogPlace {
  readonly file: string;
  readonly offset: number;
}

const newline = 10;
const blockSize = 64 * 1024;

/** The files of a log in their order. The scribe names them `log.<try>.<letters>`. */
export function logFilesOf(folder: string): string[] {
  try {
    return readdirSync(folder).filter(isLogFile).sort(byAge);
  } catch {
    return [];
  }
}

export const isLogFile = (name: string): boolean => /^log\.\d+\.[a-z]+$/.test(name);

/** Below zero when the first is the older one. */
export function byAge(a: string, b: string): number {
  const number = (name: string): number => Number(name.split(".")[1]);
  return number(a) - number(b) || (a < b ? -1 : 1);
}

export function sizeOf(folder: string, file: string): number {
  try {
    return statSync(join(folder, file)).size;
  } catch {
    return 0;
  }
}

/** The place where the last so many lines begin, before an end: going back until there are enough ends of lines. */
export async function linesBack(folder: string, count: number, end: LogPlace): Promise<LogPlace> {
  const files = logFilesOf(folder);
  let missing = count;
  let isLast = true;
  for (const file of files.slice(0, files.indexOf(end.file) + 1).reverse()) {
    const handle = await open(join(folder, file)).catch(() => undefined);
    if (handle === undefined) continue;
    try {
      let before = file === end.file ? end.offset : (await handle.stat()).size;
      while (before > 0) {
        const block = await readBlock(handle, Math.max(0, before - blockSize), Math.min(before, blockSize));
        before -= block.length;
        if (block.length === 0) break;
        // The end of the last line does not begin another one.
        let at = isLast && block.at(-1) === newline ? block.length - 2 : block.length - 1;
        isLast = false;
        while (at >= 0) {
          at = block.lastIndexOf(newline, at);
          if (at < 0) break;
          missing -= 1;
          if (missing === 0) return { file, offset: before + at + 1 };
          at -= 1;
        }
      }
    } finally {
      await handle.close();
    }
  }
  return { file: files[0] ?? end.file, offset: 0 };
}

export async function readBlock(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const block = Buffer.allocUnsafe(length);
  const { bytesRead } = await handle.read(block, 0, length, position);
  return block.subarray(0, bytesRead);
}
