import { open } from "node:fs/promises";
import { codeOf, diskFault, WeightsError } from "../fault.ts";
import { readFlags } from "../sources/open-file.ts";
import type { ByteSource } from "./byte-source.ts";

const kibibyte = 1024;

/** A file of this machine. Whether it may be read is decided by whoever opens it. */
export async function openDiskSource(path: string): Promise<ByteSource> {
  const handle = await open(path, readFlags).catch((error) => {
    if (codeOf(error) === "ENOENT")
      throw new WeightsError("not-found", "NotFound", `${path}: file not found`, { cause: error });
    throw diskFault(error, path);
  });
  const { size } = await handle.stat();
  return {
    shownAs: path,
    size,
    steps: [256 * kibibyte, 1024 * kibibyte],
    maxReads: 10_000,
    async read(offset, length) {
      const wanted = Math.max(0, Math.min(length, size - offset));
      const bytes = Buffer.allocUnsafe(wanted);
      let filled = 0;
      while (filled < wanted) {
        const { bytesRead } = await handle.read(bytes, filled, wanted - filled, offset + filled);
        if (bytesRead === 0) break;
        filled += bytesRead;
      }
      return bytes.subarray(0, filled);
    },
    close: () => handle.close(),
  };
}
