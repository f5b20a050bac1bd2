// What the tests of this package start from: a folder that goes away, bytes to fetch, impatient settings.
import { spawnSync } from "node:child_process";
import { randomFillSync } from "node:crypto";
import { mkdtemp, rm, rmdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { createHttpSource } from "../src/sources/http-source.ts";
import { createHttpClient } from "../src/transfer/http/http-client.ts";
import type { RemoteFile } from "../src/transfer/remote-file.ts";
import type { TransferSettings } from "../src/transfer/settings.ts";
import { FileServer } from "./servers/file-server.ts";

export const mebibyte = 1024 * 1024;

export const impatient = {
  concurrency: { start: 4, max: 8, windowMs: 100 },
  retry: { attempts: 5, firstDelayMs: 5, maxDelayMs: 40 },
  stall: { windowMs: 1_000, bytes: 1024 },
  progressEveryMs: 20,
} satisfies Partial<TransferSettings>;

export async function folder(t: TestContext): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "weights-"));
  t.after(() => rm(path, { recursive: true, force: true }));
  return path;
}

export function bytes(size: number): Buffer {
  return randomFillSync(Buffer.allocUnsafe(size));
}

export async function serve(t: TestContext, size: number): Promise<FileServer> {
  const server = await new FileServer(bytes(size)).listen();
  t.after(() => server.close());
  return server;
}

export async function lookUp(t: TestContext, url: string, extra: Partial<RemoteFile> = {}): Promise<RemoteFile> {
  const client = createHttpClient({ environment: {}, addresses: "any" });
  t.after(() => client.close());
  const signal = new AbortController().signal;
  const { files } = await createHttpSource(client).resolve({ scheme: "http", url: new URL(url) }, signal);
  return { ...(files[0] as RemoteFile), ...extra };
}

/** A real file system of a few mebibytes; undefined where this process may not mount one. */
export async function smallDisk(t: TestContext, options: string): Promise<string | undefined> {
  const path = await mkdtemp(join(tmpdir(), "weights-"));
  t.after(() => {
    spawnSync("umount", ["-l", path]);
    return rmdir(path);
  });
  return spawnSync("mount", ["-t", "tmpfs", "-o", options, "tmpfs", path]).status === 0 ? path : undefined;
}
