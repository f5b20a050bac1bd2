import { join, resolve } from "node:path";
import { WeightsError } from "../fault.ts";
import { resolveModel } from "../sources/resolve.ts";
import type { Listing } from "../sources/source.ts";
import { showUri } from "../sources/uri.ts";
import { Store } from "../store/store.ts";
import { defaultConcurrency } from "../transfer/concurrency.ts";
import { createHttpClient } from "../transfer/http-client.ts";
import { patientRetry } from "../transfer/retry.ts";
import { Throttle } from "../transfer/throttle.ts";
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
  const { reporter, signal } = around;
  const directory = resolve(options.to);
  await withListing(uri, options, around, async (listing) => {
    const expected = options.sha256 === undefined ? listing : withDigest(listing, options.sha256, uri);
    const store = new Store(
      options.store ?? join(directory, ".trivium"),
      options.quota === undefined ? {} : { quotaBytes: options.quota },
    );
    const { manifest, how } = await store.ensure(expected, {
      source: uri,
      include: options.include,
      settings: {
        signal,
        onProgress: reporter.progress,
        throttle: options.limitRate === undefined ? undefined : new Throttle(options.limitRate),
        concurrency:
          options.connections === undefined ? defaultConcurrency : { ...defaultConcurrency, max: options.connections },
      },
    });
    await store.view(manifest, directory);
    const bytes = manifest.files.reduce((sum, file) => sum + file.size, 0);
    const { key, pinned, files } = manifest;
    reporter.result(
      { event: "done", how, key, pinned, directory, bytes, files },
      `${directory}: ${files.length} files, ${formatBytes(bytes)}, ${how}`,
    );
  });
}

export async function runInspect(uri: string, options: SourceOptions, around: Surroundings): Promise<void> {
  await withListing(uri, options, around, async ({ pinned, files }) => {
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

async function withListing(
  uri: string,
  options: SourceOptions,
  { environment, signal }: Surroundings,
  use: (listing: Listing) => Promise<void>,
): Promise<void> {
  const client = createHttpClient({ environment, addresses: options.publicOnly ? "public" : "any" });
  const fileRoots = [
    ...options.allowRoot,
    ...(environment.TRIVIUM_WEIGHTS_ROOTS ?? "").split(":").filter((root) => root !== ""),
  ];
  try {
    await use(
      await resolveModel(uri, {
        client,
        environment,
        fileRoots,
        include: options.include,
        retry: patientRetry,
        signal,
      }),
    );
  } finally {
    await client.close();
  }
}

/** The digest a user gives is for one file. Where the source names one too and it differs, there is no point in fetching. */
function withDigest(listing: Listing, sha256: string, uri: string): Listing {
  const [file, ...more] = listing.files;
  const hex = sha256.replace(/^sha256:/, "").toLowerCase();
  if (!/^[0-9a-f]{64}$/.test(hex))
    throw new WeightsError("refused", "InvalidOption", `--sha256: expected 64 hex digits`);
  if (file === undefined || more.length > 0) {
    const message = `${showUri(uri)}: --sha256 is for one file and this has ${listing.files.length}; name one or use --include`;
    throw new WeightsError("refused", "InvalidOption", message);
  }
  if (file.digest?.algorithm === "sha256" && file.digest.hex !== hex) {
    throw new WeightsError(
      "mismatch",
      "DigestMismatch",
      `${file.shownAs}: expected sha256 ${hex}, found ${file.digest.hex} in the source's listing`,
    );
  }
  return { pinned: `${listing.pinned}#${hex}`, files: [expecting(file, hex)] };
}

function expecting(file: Listing["files"][number], hex: string): Listing["files"][number] {
  const { relist } = file;
  return {
    ...file,
    digest: { algorithm: "sha256", hex },
    ...(relist === undefined ? {} : { relist: async () => expecting(await relist(), hex) }),
  };
}
