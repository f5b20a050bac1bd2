import { rm, stat } from "node:fs/promises";
import type { ArtifactReading, RepositoryFile, WantedArtifact } from "@trivium/domain";
import { isObject, type JsonObject } from "@trivium/std";
import { WeightsError } from "../fault.ts";
import { inspectModel } from "../reading/inspect-model.ts";
import { openRemoteSource } from "../reading/remote-source.ts";
import { resolveModel } from "../sources/resolve.ts";
import type { Listing } from "../sources/source.ts";
import type { Manifest } from "../store/manifest.ts";
import type { Store } from "../store/store.ts";
import type { PruneReport } from "../store/sweep.ts";
import type { HttpClient } from "../transfer/http/http-client.ts";
import { patientRetry } from "../transfer/http/retry.ts";
import type { Progress } from "../transfer/meter.ts";
import type { RemoteFile } from "../transfer/remote-file.ts";
import type { Inventory } from "./inventory.ts";
import { unzipSingle } from "./unzip.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** What it takes to bring the files of one wish to their folder. */
export interface BringingPlace {
  readonly store: Store;
  readonly inventory: Inventory;
  readonly client: HttpClient;
  /** Where the folder of the wish really is. */
  readonly folder: string;
  readonly environment: Environment;
  readonly signal: AbortSignal;
  onListed(files: readonly RepositoryFile[]): void;
  onProgress(progress: Progress): void;
  /** Called where models that nothing uses were deleted to make space. */
  onEvicted(report: PruneReport): void;
}

type Fetched = WantedArtifact & { readonly source: { readonly is: "fetched" } };

/** Whether all files are here already, whole: then nobody is asked. Shows them again where somebody took a link away. */
export async function findWhole(
  { source, unpacking }: Fetched,
  { store, inventory, folder, signal, onListed }: BringingPlace,
): Promise<boolean> {
  const manifest = await inventory.findWhole(source.uri);
  if (manifest === undefined) return false;
  onListed(filesOf(manifest));
  await store.view(manifest, folder);
  if (unpacking === "zip") await unzipSingle(manifest, folder, signal);
  return true;
}

/** A source that does not answer is tried again by whoever asked, and told of meanwhile; only a hiccup is waited for here. */
const listingRetry = { ...patientRetry, attempts: 2 };

type ListingPlace = Pick<BringingPlace, "client" | "environment" | "signal">;

const listSource = (uri: string, place: ListingPlace): Promise<Listing> =>
  resolveModel(uri, { ...place, fileRoots: [], include: [], retry: listingRetry });

/** What a source has, without downloading it. */
export async function listFiles(uri: string, place: ListingPlace): Promise<RepositoryFile[]> {
  return filesOf(await listSource(uri, place));
}

/** Archives are one file each; what is in them is known when they are unpacked. */
const filesOf = ({ files }: Listing | Manifest): RepositoryFile[] =>
  files.map(({ path, size }) => ({ path, ...(size === undefined ? {} : { bytes: size }) }));

/** Fetches what is missing and shows it in the folder. */
export async function bring({ source, unpacking }: Fetched, place: BringingPlace): Promise<Manifest> {
  const { store, inventory, client, folder, environment, signal } = place;
  const listing = await listSource(source.uri, { client, environment, signal });
  place.onListed(filesOf(listing));
  const settings = { signal, onProgress: place.onProgress };
  const { manifest } = await store.ensure(listing, { source: source.uri, settings, onEvicted: place.onEvicted });
  await store.view(manifest, folder);
  if (unpacking === "zip") await unzipSingle(manifest, folder, signal);
  await inventory.note(manifest);
  return manifest;
}

/** Reads what the files say of themselves; what cannot be read is a problem and no failure: the files are there all the same. */
export async function readFiles(
  folder: string,
  { client, environment, signal }: Pick<BringingPlace, "client" | "environment" | "signal">,
): Promise<ArtifactReading> {
  try {
    const options = { client, environment, fileRoots: [folder], include: [], retry: patientRetry, signal };
    const { files } = await resolveModel(folder, options);
    const inspection = await inspectModel(files, { signal });
    const adapter = await readAdapter(files, signal);
    return { ...inspection, ...(adapter === undefined ? {} : { adapter }) };
  } catch (error) {
    if (signal.aborted || !(error instanceof WeightsError)) throw error;
    return { models: [], problems: [error.message] };
  }
}

const longestAdapter = 1024 * 1024;

/** What weights that are laid over a model say of themselves, beside their tensors. */
async function readAdapter(files: readonly RemoteFile[], signal: AbortSignal): Promise<JsonObject | undefined> {
  const file = files.find(({ path }) => path === "adapter_config.json");
  if (file === undefined || (file.size ?? 0) > longestAdapter) return undefined;
  const source = openRemoteSource(file, signal);
  try {
    const value: unknown = JSON.parse(Buffer.from(await source.read(0, longestAdapter)).toString("utf8"));
    return isObject(value) ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  } finally {
    await source.close();
  }
}

export async function checkPresent(folder: string, path: string): Promise<void> {
  const found = await stat(folder).catch(() => undefined);
  if (found === undefined) throw new WeightsError("not-found", "NotFound", `${path} not found on this node`);
}

/** Takes the folder away and lets go of what nobody else uses, also of what came of a download that was never finished. */
export async function discard(store: Store, folder: string, unfinished: string | undefined): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  if (unfinished !== undefined) await store.abandon(unfinished);
  await store.prune(0);
}
