import { rm, stat } from "node:fs/promises";
import type { Json } from "@trivium/std";
import { diskFault, WeightsError } from "../fault.ts";
import { download } from "../transfer/download.ts";
import { makeFolder } from "../transfer/parts/disk.ts";
import { syncDirectory } from "../transfer/parts/part-file.ts";
import type { RemoteFile } from "../transfer/remote-file.ts";
import type { TransferSettings } from "../transfer/settings.ts";
import { adoptListed } from "./adopt.ts";
import type { Layout } from "./layout.ts";
import type { Lease } from "./lease.ts";
import { type Manifest, type StoredFile, versionOf, writeManifest } from "./manifest.ts";
import { ModelProgress } from "./model-progress.ts";
import { takeFromPeer } from "./peers.ts";
import { checkRefusal, keepRefused } from "./refused-bytes.ts";
import { makeSpace, type PruneReport, pruneTo } from "./sweep.ts";
import { putBlob, type ReadFile } from "./take-file.ts";
import { unpackAll } from "./unpack.ts";
import type { View } from "./view.ts";
import { writeWhole } from "./write-whole.ts";

/** Files under way at once. Each uses several connections by itself; more would only spread the front. */
const lanes = 3;

export interface ModelFetch {
  readonly key: string;
  readonly source: string;
  readonly pinned: string;
  readonly include: readonly string[];
  readonly files: readonly RemoteFile[];
  readonly quotaBytes: number | undefined;
  /** Where it is going to be shown: what lies there already is not downloaded. */
  readonly view: View | undefined;
  /** Other stores on the same disk. */
  readonly peers: readonly string[];
  readonly settings: TransferSettings;
  readonly onEvicted?: ((report: PruneReport) => void) | undefined;
}

/** Brings all files of a model into the store, under a lease that the caller holds, and writes its manifest last. */
export async function fetchModel(layout: Layout, lease: Lease, fetch: ModelFetch): Promise<Manifest> {
  const pending = new Pending(layout, fetch);
  const progress = new ModelProgress(fetch.files, (each) => {
    lease.note(each as unknown as Json);
    fetch.settings.onProgress(each);
  });
  const signal = AbortSignal.any([fetch.settings.signal, lease.signal]);
  for (const directory of [layout.blobs, layout.models]) await makeFolder(directory);
  await pending.want(fetch.files.flatMap(({ digest }) => (digest?.algorithm === "sha256" ? [digest.hex] : [])));
  if (fetch.quotaBytes !== undefined) {
    const freed = await makeSpace(layout, fetch.quotaBytes, await missingBytes(layout, fetch.files));
    if (freed.evicted.length > 0) fetch.onEvicted?.(freed);
  }
  const settings = { ...fetch.settings, signal, onProgress: progress.ofFile, mismatched: "kept" as const };
  // Without the digest that is expected: it is what the source has that is remembered.
  const [pinned = ""] = fetch.pinned.split("#", 1);
  const bring = async (file: RemoteFile): Promise<StoredFile> => {
    const { key, view, peers } = fetch;
    const done = await bringBlob(layout, { file, key, pinned, view, peers, settings, pending });
    progress.done(file.path, done.size);
    return done;
  };
  const stored = await bringAll(layout, fetch.files, bring).catch((error) => {
    throw lease.signal.aborted ? lease.signal.reason : error;
  });
  const { key, source, include } = fetch;
  const archives = fetch.files.filter(({ archive }) => archive !== undefined);
  const shown = archives.length === 0 ? {} : await unpacked(archives, stored, { layout, fetch, pending, signal });
  const manifest = { key, source, pinned: fetch.pinned, include, files: stored, ...shown };
  await writeManifest(layout, manifest);
  await pending.forget();
  await rm(`${layout.partials}/${key}`, { recursive: true, force: true });
  // The archives themselves have done their duty.
  if (archives.length > 0) await pruneTo(layout, Number.POSITIVE_INFINITY);
  return manifest;
}

interface UnpackPlace {
  readonly layout: Layout;
  readonly fetch: ModelFetch;
  readonly pending: Pending;
  readonly signal: AbortSignal;
}

async function unpacked(
  archives: readonly RemoteFile[],
  listed: readonly StoredFile[],
  { layout, fetch, pending, signal }: UnpackPlace,
): Promise<Pick<Manifest, "files" | "listed">> {
  const isArchive = new Set(archives.map(({ path }) => path));
  const want = (sha256: string) => pending.want([sha256]);
  const held = await unpackAll(archives, { layout, key: fetch.key, source: fetch.source, signal, want });
  return { files: [...listed.filter(({ path }) => !isArchive.has(path)), ...held], listed };
}

/** A sweep that began before our wishes were written may have taken a blob that we had found; then it is brought again. */
async function bringAll(
  layout: Layout,
  files: readonly RemoteFile[],
  bring: (file: RemoteFile) => Promise<StoredFile>,
): Promise<StoredFile[]> {
  for (;;) {
    const stored = await inLanes(files, bring);
    const there = await Promise.all(stored.map(({ sha256 }) => stat(layout.blob(sha256)).catch(() => undefined)));
    if (there.every((found) => found !== undefined)) return stored;
  }
}

interface BlobRequest extends Pick<ModelFetch, "key" | "pinned" | "view" | "peers"> {
  readonly file: RemoteFile;
  readonly settings: TransferSettings;
  readonly pending: Pending;
}

async function bringBlob(layout: Layout, request: BlobRequest): Promise<StoredFile> {
  const { file, key, pinned, settings, pending } = request;
  const here = await findHere(layout, request);
  if (here !== undefined) {
    await pending.want([here.sha256]);
    return here;
  }
  const place = { layout, pinned, file };
  await checkRefusal(place, Date.now());
  const report = await download(file, layout.partial(key, file.path), settings).catch(async (error) => {
    await keepRefused(place, error, Date.now());
    throw error;
  });
  try {
    await pending.want([report.sha256]);
    // What a source without digests has is known only now; the disk need not have it twice.
    const isShared = file.digest?.algorithm !== "sha256" && (await takeShared(layout, request, report)) !== undefined;
    if (isShared) await rm(report.path, { force: true });
    else await putBlob(layout, report);
    await syncDirectory(layout.blobs);
  } catch (error) {
    throw diskFault(error, layout.blobs);
  }
  return { path: file.path, size: report.size, sha256: report.sha256, version: report.version };
}

/** The file, where this machine has it: in the store, where it is to be shown, or in another store. */
async function findHere(layout: Layout, request: BlobRequest): Promise<StoredFile | undefined> {
  const { file, key, view, settings } = request;
  if (file.digest?.algorithm !== "sha256") return undefined;
  const sha256 = file.digest.hex;
  const found = await stat(layout.blob(sha256)).catch(() => undefined);
  if (found !== undefined && (file.size === undefined || found.size === file.size))
    return { path: file.path, size: found.size, sha256, version: versionOf(file) };
  const adopted = await adoptListed(layout, { file, view, key, signal: settings.signal });
  if (adopted !== undefined) return adopted;
  const taken = await takeShared(layout, request, { sha256, size: file.size });
  if (taken === undefined) return undefined;
  return { path: file.path, size: Number(taken.found.size), sha256, version: versionOf(file) };
}

/** The bytes of a digest from another store. Archives are deleted once they are unpacked, so there is nothing to share. */
async function takeShared(
  layout: Layout,
  { file, key, peers, settings: { signal } }: BlobRequest,
  { sha256, size }: { readonly sha256: string; readonly size: number | undefined },
): Promise<ReadFile | undefined> {
  if (file.archive !== undefined) return undefined;
  return takeFromPeer(layout, peers, { key, path: file.path, sha256, size, signal });
}

async function missingBytes(layout: Layout, files: readonly RemoteFile[]): Promise<number> {
  let sum = 0;
  for (const file of files) {
    const isThere =
      file.digest?.algorithm === "sha256" &&
      (await stat(layout.blob(file.digest.hex)).catch(() => undefined)) !== undefined;
    if (!isThere) sum += file.size ?? 0;
  }
  return sum;
}

/** Tells the sweep which blobs a running fetch counts on. */
class Pending {
  readonly #path: string;
  readonly #source: string;
  readonly #blobs = new Set<string>();

  constructor(layout: Layout, { key, source }: ModelFetch) {
    this.#path = layout.pending(key);
    this.#source = source;
  }

  async want(blobs: readonly string[]): Promise<void> {
    for (const blob of blobs) this.#blobs.add(blob);
    await writeWhole(this.#path, JSON.stringify({ source: this.#source, blobs: [...this.#blobs] }));
  }

  async forget(): Promise<void> {
    await rm(this.#path, { force: true });
  }
}

/** Runs a few at a time and keeps the order. The first failure stops the taking of new ones; running ones end by themselves. */
async function inLanes<T, R>(items: readonly T[], run: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  let fault: unknown;
  const lane = async (): Promise<void> => {
    while (next < items.length && fault === undefined) {
      const index = next++;
      try {
        results[index] = await run(items[index] as T);
      } catch (error) {
        fault ??= error ?? new WeightsError("unreachable", "Unreachable", "failed without an error");
      }
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  if (fault !== undefined) throw fault;
  return results;
}
