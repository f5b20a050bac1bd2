import { rm, stat } from "node:fs/promises";
import type { ArtifactReading, WantedArtifact } from "@trivium/domain";
import { WeightsError } from "../fault.ts";
import { inspectModel } from "../reading/inspect-model.ts";
import { resolveModel } from "../sources/resolve.ts";
import type { Manifest } from "../store/manifest.ts";
import type { Store } from "../store/store.ts";
import { createHttpClient } from "../transfer/http-client.ts";
import type { Progress } from "../transfer/meter.ts";
import { patientRetry } from "../transfer/retry.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** What it takes to bring the files of one wish to their folder. */
export interface BringingPlace {
  readonly store: Store;
  /** Where the folder of the wish really is. */
  readonly folder: string;
  readonly environment: Environment;
  readonly signal: AbortSignal;
  onProgress(progress: Progress): void;
}

type Fetched = WantedArtifact & { readonly source: { readonly is: "fetched" } };

/** Whether all files are here already, whole: then nobody is asked. Shows them again where somebody took a link away. */
export async function findWhole({ source }: Fetched, { store, folder }: BringingPlace): Promise<boolean> {
  const manifest = await store.lastKnown(source.uri, []);
  if (manifest === undefined) return false;
  await store.view(manifest, folder);
  return true;
}

/** Fetches what is missing and shows it in the folder. */
export async function bring({ source }: Fetched, place: BringingPlace): Promise<Manifest> {
  const { store, folder, environment, signal } = place;
  const client = createHttpClient({ environment, addresses: "any" });
  try {
    const options = { client, environment, fileRoots: [], include: [], retry: patientRetry, signal };
    const listing = await resolveModel(source.uri, options);
    const settings = { signal, onProgress: place.onProgress };
    const { manifest } = await store.ensure(listing, { source: source.uri, settings });
    await store.view(manifest, folder);
    return manifest;
  } finally {
    await client.close();
  }
}

/** Reads what the files say of themselves; what cannot be read is a problem and no failure: the files are there all the same. */
export async function readFiles(
  folder: string,
  { environment, signal }: { environment: Environment; signal: AbortSignal },
): Promise<ArtifactReading> {
  const client = createHttpClient({ environment, addresses: "any" });
  try {
    const options = { client, environment, fileRoots: [folder], include: [], retry: patientRetry, signal };
    const { files } = await resolveModel(folder, options);
    return await inspectModel(files, { signal });
  } catch (error) {
    if (signal.aborted || !(error instanceof WeightsError)) throw error;
    return { models: [], problems: [error.message] };
  } finally {
    await client.close();
  }
}

export async function checkPresent(folder: string, path: string): Promise<void> {
  const found = await stat(folder).catch(() => undefined);
  if (found === undefined) throw new WeightsError("not-found", "NotFound", `${path}: there is nothing on this node`);
}

/** Takes the folder away and lets go of what nobody else uses. */
export async function discard(store: Store, folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await store.prune(0);
}
