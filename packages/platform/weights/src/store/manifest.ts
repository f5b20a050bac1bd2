import { readdir, rm, stat, utimes } from "node:fs/promises";
import { faultOfRelativePath } from "@trivium/std";
import type { RemoteFile } from "../transfer/remote-file.ts";
import type { Layout } from "./layout.ts";
import { readRecord, writeWhole } from "./write-whole.ts";

export interface StoredFile {
  readonly path: string;
  readonly size: number;
  readonly sha256: string;
  /** What identified it upstream when it was fetched. */
  readonly version: string | null;
}

/** A whole model in the store. It is written last, so that what it lists is there. */
export interface Manifest {
  readonly key: string;
  readonly source: string;
  readonly pinned: string;
  readonly include: readonly string[];
  readonly files: readonly StoredFile[];
  /** What the source listed, where that were archives and `files` is what they held. */
  readonly listed?: readonly StoredFile[];
}

export interface ListedModel extends Manifest {
  readonly size: number;
  /** When it was last asked for: the time of its manifest file. */
  readonly usedAt: number;
}

export async function writeManifest(layout: Layout, manifest: Manifest): Promise<void> {
  await writeWhole(layout.manifest(manifest.key), `${JSON.stringify(manifest, undefined, 2)}\n`);
}

export async function readManifest(layout: Layout, key: string): Promise<Manifest | undefined> {
  const record = await readRecord(layout.manifest(key));
  if (record === undefined || record.key !== key) return undefined;
  const { files, listed = [], source, pinned, include } = record;
  const isSafe =
    areFiles(files) && files.every(({ path }) => faultOfRelativePath(path) === undefined) && areFiles(listed);
  return isSafe && areTexts([source, pinned]) && areTexts(include) ? (record as unknown as Manifest) : undefined;
}

/** Pods can write into the volumes that hold a store: a digest is the name of a blob and must not lead elsewhere. */
function areFiles(value: unknown): value is StoredFile[] {
  return Array.isArray(value) && value.every((each) => isFile(each ?? {}));
}

const isFile = ({ path, sha256, size }: { readonly [Field in keyof StoredFile]?: unknown }): boolean =>
  typeof path === "string" &&
  typeof sha256 === "string" &&
  /^[0-9a-f]{64}$/.test(sha256) &&
  Number.isSafeInteger(size) &&
  Number(size) >= 0;

const areTexts = (value: unknown): boolean => Array.isArray(value) && value.every((each) => typeof each === "string");

export async function removeManifest(layout: Layout, key: string): Promise<void> {
  await rm(layout.manifest(key), { force: true });
}

export async function patchManifest(layout: Layout, key: string): Promise<void> {
  const now = new Date();
  await utimes(layout.manifest(key), now, now).catch(() => {});
}

/** All models, the one unused for longest first. */
export async function listModels(layout: Layout): Promise<ListedModel[]> {
  const names = (await readdir(layout.models).catch(() => [])).filter((name) => name.endsWith(".json"));
  const models: ListedModel[] = [];
  for (const name of names) {
    const manifest = await readManifest(layout, name.slice(0, -".json".length));
    const found = await stat(`${layout.models}/${name}`).catch(() => undefined);
    if (manifest === undefined || found === undefined) continue;
    models.push({ ...manifest, size: manifest.files.reduce((sum, file) => sum + file.size, 0), usedAt: found.mtimeMs });
  }
  return models.sort((a, b) => a.usedAt - b.usedAt);
}

/** Is this what the listing describes now? */
export function isCurrent(manifest: Manifest, files: readonly RemoteFile[]): boolean {
  const listed = manifest.listed ?? manifest.files;
  if (listed.length !== files.length) return false;
  const stored = new Map(listed.map((file) => [file.path, file]));
  return files.every((file) => {
    const have = stored.get(file.path);
    if (have === undefined || (file.size !== undefined && file.size !== have.size)) return false;
    if (file.digest?.algorithm === "sha256") return file.digest.hex === have.sha256;
    return versionOf(file) !== null && versionOf(file) === have.version;
  });
}

export function versionOf(file: RemoteFile): string | null {
  return file.version ?? (file.digest === undefined ? null : `${file.digest.algorithm}:${file.digest.hex}`);
}
