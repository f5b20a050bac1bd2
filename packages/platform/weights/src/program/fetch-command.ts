import { join, resolve } from "node:path";
import { WeightsError } from "../fault.ts";
import { resolveModel } from "../sources/resolve.ts";
import type { Listing } from "../sources/source.ts";
import { showUri } from "../sources/uri.ts";
import type { Manifest } from "../store/manifest.ts";
import { Store, type StoreAnswer } from "../store/store.ts";
import { defaultConcurrency } from "../transfer/concurrency.ts";
import { createHttpClient } from "../transfer/http-client.ts";
import { patientRetry, type RetryRule } from "../transfer/retry.ts";
import type { TransferSettings } from "../transfer/settings.ts";
import { Throttle } from "../transfer/throttle.ts";
import { withDigest } from "./expected-digest.ts";
import type { Reporter } from "./reporter.ts";
import { formatBytes } from "./words.ts";

export interface Surroundings {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  readonly reporter: Reporter;
}

export interface SourceOptions {
  readonly include: readonly string[];
  readonly allowRoot: readonly string[];
  readonly publicOnly: boolean;
}

export interface FetchOptions extends SourceOptions {
  readonly to: string;
  readonly sha256: string | undefined;
  readonly store: string | undefined;
  readonly quota: number | undefined;
  readonly limitRate: number | undefined;
  readonly connections: number | undefined;
}

export async function runFetch(uri: string, options: FetchOptions, around: Surroundings): Promise<void> {
  const directory = resolve(options.to);
  const place = options.store ?? join(directory, ".trivium");
  const store = new Store(place, options.quota === undefined ? {} : { quotaBytes: options.quota });
  const { manifest, how } = await bring(store, uri, options, around);
  await store.view(manifest, directory);
  const bytes = manifest.files.reduce((sum, file) => sum + file.size, 0);
  const { key, pinned, files } = manifest;
  around.reporter.result(
    { event: "done", how, key, pinned, directory, bytes, files },
    `${directory}: ${files.length} files, ${formatBytes(bytes)}, ${how}`,
  );
}

interface Brought {
  readonly manifest: Manifest;
  /** `kept`: the source does not answer, and what was fetched from it before serves on. */
  readonly how: StoreAnswer["how"] | "kept";
}

async function bring(store: Store, uri: string, options: FetchOptions, around: Surroundings): Promise<Brought> {
  const kept = await store.lastKnown(uri, options.include);
  const canServe = kept !== undefined && (options.sha256 === undefined || kept.files[0]?.sha256 === options.sha256);
  // With something to fall back on there is no need to wait a minute for a source that is down.
  const retry = canServe ? { ...patientRetry, attempts: 2 } : patientRetry;
  try {
    return await withListing(uri, { ...options, retry }, around, (listing) => {
      const expected = options.sha256 === undefined ? listing : withDigest(listing, options.sha256, uri);
      return store.ensure(expected, { source: uri, include: options.include, settings: settingsOf(options, around) });
    });
  } catch (error) {
    if (canServe && error instanceof WeightsError && error.kind === "unreachable")
      return { manifest: kept, how: "kept" };
    throw error;
  }
}

function settingsOf(options: FetchOptions, { reporter, signal }: Surroundings): Partial<TransferSettings> {
  const { limitRate, connections: max } = options;
  return {
    signal,
    onProgress: reporter.progress,
    throttle: limitRate === undefined ? undefined : new Throttle(limitRate),
    concurrency: max === undefined ? defaultConcurrency : { ...defaultConcurrency, max },
  };
}

export async function runInspect(uri: string, options: SourceOptions, around: Surroundings): Promise<void> {
  await withListing(uri, { ...options, retry: patientRetry }, around, async ({ pinned, files }) => {
    const rows = files.map(({ path, size, digest, version }) => ({
      path,
      size: size ?? null,
      digest: digest ?? null,
      version: version ?? null,
    }));
    const lines = rows.map(({ path, size, digest }) => {
      const hash = digest === null ? "no digest" : `${digest.algorithm} ${digest.hex}`;
      return `${size === null ? "unknown size" : formatBytes(size)}\t${hash}\t${path}`;
    });
    around.reporter.result(
      { event: "listing", pinned: showUri(pinned), files: rows },
      [showUri(pinned), ...lines].join("\n"),
    );
  });
}

async function withListing<T>(
  uri: string,
  options: SourceOptions & { readonly retry: RetryRule },
  { environment, signal }: Surroundings,
  use: (listing: Listing) => Promise<T>,
): Promise<T> {
  const { include, retry, allowRoot, publicOnly } = options;
  const client = createHttpClient({ environment, addresses: publicOnly ? "public" : "any" });
  const named = (environment.TRIVIUM_WEIGHTS_ROOTS ?? "").split(":").filter((root) => root !== "");
  try {
    const fileRoots = [...allowRoot, ...named];
    return await use(await resolveModel(uri, { client, environment, fileRoots, include, retry, signal }));
  } finally {
    await client.close();
  }
}
