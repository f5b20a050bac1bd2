import { lstat, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Layout } from "./layout.ts";
import { isKilled, readLease } from "./lease.ts";
import { readRecord } from "./write-whole.ts";

/** A download that runs, or that stopped half-way. */
export interface UnfinishedModel {
  readonly key: string;
  readonly source: string;
  /** What its parts take on the disk. */
  readonly size: number;
  /** When it started, or went on. */
  readonly usedAt: number;
}

export async function listUnfinished(layout: Layout): Promise<UnfinishedModel[]> {
  const models: UnfinishedModel[] = [];
  for (const name of await readdir(layout.models).catch(() => [])) {
    if (!name.endsWith(".pending")) continue;
    const key = name.slice(0, -".pending".length);
    const source = (await readRecord(join(layout.models, name)))?.source;
    const found = await lstat(join(layout.models, name)).catch(() => undefined);
    if (typeof source !== "string" || found === undefined) continue;
    models.push({ key, source, size: await sizeOfParts(join(layout.partials, key)), usedAt: found.mtimeMs });
  }
  return models;
}

/** Ranges that have not arrived take no space. */
async function sizeOfParts(folder: string): Promise<number> {
  let sum = 0;
  for (const name of await readdir(folder).catch(() => [])) {
    const { size, blocks } = await lstat(join(folder, name)).catch(() => ({ size: 0, blocks: 0 }));
    sum += Math.min(size, blocks * 512);
  }
  return sum;
}

/** Half-fetched files stay, to go on with; when nobody wants to go on any more, they only take space. */
export async function abandonUnfinished(layout: Layout, source: string): Promise<void> {
  for (const name of await readdir(layout.models).catch(() => [])) {
    if (!name.endsWith(".pending")) continue;
    const path = join(layout.models, name);
    if ((await readRecord(path))?.source !== source) continue;
    const key = name.slice(0, -".pending".length);
    const lease = await readLease(layout.leases, key);
    if (lease !== undefined && !lease.isReleased && !isKilled(lease)) continue;
    await rm(join(layout.partials, key), { recursive: true, force: true });
    await rm(path, { force: true });
  }
}
