import { readdir, realpath, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { WeightsError } from "../fault.ts";
import { isInside } from "./inside.ts";
import type { Layout } from "./layout.ts";
import { isKilled, readLease } from "./lease.ts";
import { type ListedModel, listModels, removeManifest } from "./manifest.ts";
import { referencesOf } from "./references.ts";
import { readRecord } from "./write-whole.ts";

export interface PruneReport {
  readonly evicted: readonly string[];
  /** What they were fetched as. */
  readonly sources: readonly string[];
  /** What the disk has got back. A file that another store has linked too frees nothing. */
  readonly freedBytes: number;
  /** What is left. */
  readonly bytes: number;
}

/** Removes models that nobody uses, the longest unused first, until the blobs take at most `limit` bytes. */
export async function pruneTo(layout: Layout, limit: number): Promise<PruneReport> {
  const evicted: ListedModel[] = [];
  let swept = await sweepBlobs(layout);
  for (const model of await listModels(layout)) {
    if (swept.bytes <= limit) break;
    if (await isInUse(layout, model)) continue;
    await removeManifest(layout, model.key);
    evicted.push(model);
    const { bytes, freedBytes } = await sweepBlobs(layout);
    swept = { bytes, freedBytes: swept.freedBytes + freedBytes };
  }
  return reportOf(evicted, swept);
}

/** Deletes a folder that shows models, and those that nothing else uses. A folder that the store does not know is not deleted. */
export async function removeView(layout: Layout, folder: string): Promise<PruneReport> {
  const shown = await viewedIn(layout, folder);
  if (shown.length === 0 && (await stat(folder).catch(() => undefined)) !== undefined)
    throw new WeightsError("refused", "UnsafePath", `${folder}: this folder shows no model of the store`);
  await rm(await placeOf(layout, folder), { recursive: true, force: true });
  const evicted: ListedModel[] = [];
  for (const model of shown) {
    if (await isInUse(layout, model)) continue;
    await removeManifest(layout, model.key);
    evicted.push(model);
  }
  return reportOf(evicted, await sweepBlobs(layout));
}

/** The folder itself. A pod can put a link on the way to it: in the volume that holds the store, no link leads out of the volume. */
async function placeOf(layout: Layout, folder: string): Promise<string> {
  const [volume, parent] = [dirname(layout.root), dirname(folder)];
  const real = await realpath(parent).catch(() => parent);
  if (isInside(volume, folder) && !isInside(await realpath(volume).catch(() => volume), real))
    throw new WeightsError("refused", "UnsafePath", `${folder}: a link in its path points outside of ${volume}`);
  return join(real, basename(folder));
}

/** Deletes one model, unless something uses it. */
export async function removeUnused(layout: Layout, key: string): Promise<PruneReport> {
  const evicted: ListedModel[] = [];
  for (const model of await listModels(layout)) {
    if (model.key !== key || (await isInUse(layout, model))) continue;
    await removeManifest(layout, key);
    evicted.push(model);
  }
  return reportOf(evicted, await sweepBlobs(layout));
}

const reportOf = (evicted: readonly ListedModel[], swept: Swept): PruneReport => ({
  evicted: evicted.map(({ key }) => key),
  sources: evicted.map(({ source }) => source),
  ...swept,
});

async function viewedIn(layout: Layout, folder: string): Promise<ListedModel[]> {
  const found: ListedModel[] = [];
  for (const model of await listModels(layout)) {
    const references = await referencesOf(layout, model.key);
    if (references.some((one) => one.is === "view" && one.path === folder)) found.push(model);
  }
  return found;
}

/** Frees space for `needed` more bytes under a quota, or throws with what uses it. */
export async function makeSpace(layout: Layout, quota: number, needed: number): Promise<PruneReport> {
  const report = await pruneTo(layout, Math.max(0, quota - needed));
  const { bytes } = report;
  if (bytes + needed <= quota) return report;
  const message = `${layout.root}: ${needed} bytes do not fit in the quota of ${quota}; ${bytes} are in use by other models`;
  throw new WeightsError("no-space", "NoSpace", message);
}

async function isInUse(layout: Layout, { key }: ListedModel): Promise<boolean> {
  if ((await referencesOf(layout, key)).length > 0) return true;
  const lease = await readLease(layout.leases, key);
  return lease !== undefined && !lease.isReleased && !isKilled(lease);
}

type Swept = Pick<PruneReport, "bytes" | "freedBytes">;

/** Deletes blobs that no manifest and no running fetch lists. */
async function sweepBlobs(layout: Layout): Promise<Swept> {
  const wanted = await wantedBlobs(layout);
  let [bytes, freedBytes] = [0, 0];
  for (const name of await readdir(layout.blobs).catch(() => [])) {
    // Whatever the folder is by now, only what is named like a blob is one.
    if (!/^[0-9a-f]{64}$/.test(name)) continue;
    const found = await stat(layout.blob(name)).catch(() => undefined);
    if (wanted.has(name)) bytes += found?.size ?? 0;
    else await rm(layout.blob(name), { force: true });
    if (!wanted.has(name) && found?.nlink === 1) freedBytes += found.size;
  }
  return { bytes, freedBytes };
}

async function wantedBlobs(layout: Layout): Promise<Set<string>> {
  const wanted = new Set<string>();
  for (const { files } of await listModels(layout)) for (const { sha256 } of files) wanted.add(sha256);
  for (const name of await readdir(layout.models).catch(() => [])) {
    if (!name.endsWith(".pending")) continue;
    const blobs = (await readRecord(`${layout.models}/${name}`))?.blobs;
    if (Array.isArray(blobs)) for (const blob of blobs) wanted.add(String(blob));
  }
  return wanted;
}
