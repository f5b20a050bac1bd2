import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { codeOf } from "../../fault.ts";
import { readFlags } from "../../sources/open-file.ts";
import type { StoredFile } from "../manifest.ts";

export type BlobFault =
  | { readonly is: "missing" }
  | { readonly is: "damaged"; readonly why: string }
  | { readonly is: "unread"; readonly why: string };

type Expected = Pick<StoredFile, "sha256" | "size">;

/** How many bytes that take no space on the disk are read, in all blobs of a volume together. */
const spareBytes = 2 ** 30;

/** The link itself is refused, and a pipe is not waited for. */
const flags = readFlags | (constants.O_NOFOLLOW ?? 0);

/**
 * Reads blobs that pods can write. A file of a TiB that takes no space can be created in a moment, and so are a thousand names of one file; so the
 * bytes read are bounded by twice what the blobs take on the disk (a file system may compress) and a GiB, and each file is read once.
 */
export class UntrustedBlobs {
  readonly #digests = new Map<string, string>();
  #spare = spareBytes;

  async faultOf(path: string, expected: Expected): Promise<BlobFault | undefined> {
    let handle: FileHandle;
    try {
      handle = await open(path, flags);
    } catch (error) {
      const code = codeOf(error);
      if (code === "ENOENT") return { is: "missing" };
      if (code === "ELOOP" || code === "ENXIO") return notRegular;
      return { is: "unread", why: `cannot be read (${code ?? "unknown error"})` };
    }
    try {
      return await this.#faultIn(handle, expected);
    } catch (error) {
      return { is: "unread", why: `cannot be read (${codeOf(error) ?? "unknown error"})` };
    } finally {
      await handle.close();
    }
  }

  async #faultIn(handle: FileHandle, { sha256, size }: Expected): Promise<BlobFault | undefined> {
    const found = await handle.stat();
    if (!found.isFile()) return notRegular;
    if (found.size !== size) return { is: "damaged", why: `its size is ${found.size} instead of ${size}` };
    const id = `${found.dev} ${found.ino}`;
    let digest = this.#digests.get(id);
    if (digest === undefined) {
      const unbacked = Math.max(0, size - 2 * 512 * found.blocks);
      if (unbacked > this.#spare) return { is: "unread", why: "most of this file is a hole; delete it" };
      this.#spare -= unbacked;
      digest = await digestOf(handle, size);
      this.#digests.set(id, digest);
    }
    return digest === sha256 ? undefined : { is: "damaged", why: `its SHA-256 is ${digest}` };
  }
}

const notRegular: BlobFault = { is: "damaged", why: "it is not a regular file" };

/** No more than `size` bytes, however long the file is by now. From the handle: a path could lead to another file at each use. */
async function digestOf(handle: FileHandle, size: number): Promise<string> {
  const hash = createHash("sha256");
  const block = Buffer.allocUnsafe(256 * 1024);
  for (let at = 0; at < size; ) {
    const { bytesRead } = await handle.read(block, 0, Math.min(block.length, size - at), at);
    if (bytesRead === 0) break;
    hash.update(block.subarray(0, bytesRead));
    at += bytesRead;
  }
  return hash.digest("hex");
}
