import { link, lstat, realpath } from "node:fs/promises";
import { join } from "node:path";
import { WeightsError } from "../fault.ts";
import { inspectModel } from "../reading/inspect-model.ts";
import { listLocal } from "../sources/file-source.ts";
import { makeFolder } from "../transfer/parts/disk.ts";
import type { RemoteFile } from "../transfer/remote-file.ts";
import { type Layout, modelKey } from "./layout.ts";
import { type Manifest, type StoredFile, versionOf, writeManifest } from "./manifest.ts";
import { isUnchanged, readWhole, succeeds, takeBlob } from "./take-file.ts";
import type { View } from "./view.ts";

/** What is to be taken: the model of a source, as it would be downloaded. */
export interface AdoptRequest {
  readonly source: string;
  readonly include: readonly string[];
  readonly view: View;
  readonly signal: AbortSignal;
}

/**
 * Takes files that a person put where the model would be shown, as on machines without a network. Only files that prove that they are
 * whole are taken: the header of a model file states how long it is.
 */
export async function adoptFiles(layout: Layout, request: AdoptRequest): Promise<Manifest | undefined> {
  const files = await findWholeFiles(request);
  if (files === undefined) return undefined;
  const { source, include, view, signal } = request;
  const key = modelKey(source, include);
  const stored: StoredFile[] = [];
  for (const file of files) {
    // A link is resolved by the listing: a blob must not be a link, which leads elsewhere from the folder of the store.
    const taken = await adoptFile(layout, file.place ?? join(view.path, file.path), { file, key, signal });
    if (taken === undefined) return undefined;
    stored.push(taken);
  }
  const manifest: Manifest = { key, source, pinned: source, include, files: stored };
  await makeFolder(layout.models);
  await writeManifest(layout, manifest);
  return manifest;
}

/** The files that can be taken; only their headers are read. */
export async function findWholeFiles(request: AdoptRequest): Promise<readonly RemoteFile[] | undefined> {
  const files = await findLying(request);
  return files !== undefined && (await areWhole(files, request.signal)) ? files : undefined;
}

/** The file of a listing, and where it is going to be shown. */
export interface ListedRequest {
  readonly file: RemoteFile;
  readonly view: View | undefined;
  readonly key: string;
  readonly signal: AbortSignal;
}

/**
 * Takes the file of a listing that lies already where it would be shown. Only the digest of the source proves that it is the same: what
 * another program is downloading has its header and its whole length from the beginning.
 */
export async function adoptListed(layout: Layout, request: ListedRequest): Promise<StoredFile | undefined> {
  const { file, view } = request;
  if (view === undefined || file.archive !== undefined || file.digest?.algorithm !== "sha256") return undefined;
  const place = join(view.path, view.name ?? file.path);
  const found = await lstat(place).catch(() => undefined);
  if (!found?.isFile() || (file.size !== undefined && found.size !== file.size)) return undefined;
  return adoptFile(layout, place, request);
}

/** Brings one file into the store; it stays where it lies, as a link to the same bytes. Undefined where it is other bytes, or changes. */
async function adoptFile(
  layout: Layout,
  place: string,
  { file, key, signal }: Omit<ListedRequest, "view">,
): Promise<StoredFile | undefined> {
  const read = await readWhole(place, signal);
  if (read === undefined || (file.digest !== undefined && file.digest.hex !== read.sha256)) return undefined;
  const taken = await takeBlob(layout, { key, path: file.path, signal }, async (fresh) => {
    if (!(await succeeds(link(place, fresh)))) return undefined;
    return isUnchanged(read.found, await lstat(fresh, { bigint: true })) ? read : undefined;
  });
  if (taken === undefined) return undefined;
  return { path: file.path, size: Number(read.found.size), sha256: read.sha256, version: versionOf(file) };
}

/** Exactly the files that are asked for, or all that lie there. */
async function findLying({ include, view, source }: AdoptRequest): Promise<readonly RemoteFile[] | undefined> {
  const names = view.name === undefined ? include : [view.name];
  if (/^(file|pvc):|^\//.test(source) || names.some((name) => /[*?[\]{}]/.test(name))) return undefined;
  const top = await realpath(view.path).catch(() => undefined);
  if (top === undefined) return undefined;
  // A link that leads out of the folder or nowhere is not a file to take, and no reason to refuse a download.
  const { files } = await listLocal(top, [top]).catch((error) => {
    if (error instanceof WeightsError) return { files: [] };
    throw error;
  });
  const lying = files.filter(({ path }) => !path.split("/").some((part) => part.startsWith(".")));
  if (names.length === 0) return lying.some(({ path }) => isUnfinished(path)) ? undefined : lying;
  const chosen = names.flatMap((name) => lying.find(({ path }) => path === name) ?? []);
  if (chosen.length === names.length) return chosen;
  return view.name === undefined ? undefined : onlyModel(lying);
}

const isUnfinished = (path: string): boolean => /\.(tmp|part|incomplete)$/.test(path);

/** Other programs name the one file of a model by its header, which is unknown while the source does not answer. */
function onlyModel(lying: readonly RemoteFile[]): readonly RemoteFile[] | undefined {
  const models = lying.filter(({ path }) => /^[^/]+\.gguf$/i.test(path));
  const [chosen] = models.length === 1 ? models : models.filter(({ path }) => path !== "model.gguf");
  return chosen === undefined ? undefined : [chosen];
}

async function areWhole(files: readonly RemoteFile[], signal: AbortSignal): Promise<boolean> {
  try {
    const { models, problems } = await inspectModel(files, { signal });
    return models.length > 0 && problems.length === 0;
  } catch (error) {
    if (error instanceof WeightsError && error.kind !== "stopped") return false;
    throw error;
  }
}
