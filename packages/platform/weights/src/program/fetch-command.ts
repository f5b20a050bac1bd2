import { join, resolve } from "node:path";
import { WeightsError } from "../fault.ts";
import { resolveModel } from "../sources/resolve.ts";
import type { Listing } from "../sources/source.ts";
import { showUri } from "../sources/uri.ts";
import { fixedLayouts, isLayoutName } from "../store/layouts.ts";
import { linkFiles } from "../store/link-files.ts";
import type { Manifest } from "../store/manifest.ts";
import { Store, type StoreAnswer } from "../store/store.ts";
import type { View } from "../store/view.ts";
import { defaultConcurrency } from "../transfer/concurrency.ts";
import { createHttpClient } from "../transfer/http/http-client.ts";
import { patientRetry, type RetryRule } from "../transfer/http/retry.ts";
import { Throttle } from "../transfer/http/throttle.ts";
import { patientStall } from "../transfer/http/watchdog.ts";
import type { TransferSettings } from "../transfer/settings.ts";
import { type ExpectedDigest, parseSha256, withDigest } from "./expected-digest.ts";
import { openProgressEndpoint } from "./progress-endpoint.ts";
import type { Reporter } from "./reporter.ts";
import { formatBytes } from "./words.ts";

export interface Context {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  readonly reporter: Reporter;
}

export interface SourceOptions {
  readonly include: readonly string[];
  readonly allowRoot: readonly string[];
  readonly pvcRoot: readonly string[];
  readonly platform: string | undefined;
  readonly publicOnly: boolean;
}

export interface FetchOptions extends SourceOptions {
  readonly to: string;
  readonly sha256: string | undefined;
  readonly sha256Of: string | undefined;
  readonly store: string | undefined;
  readonly quota: number | undefined;
  readonly limitRate: number | undefined;
  readonly connections: number | undefined;
  readonly attempts: number | undefined;
  readonly stallTimeout: number | undefined;
  readonly layout: string;
  readonly modelId: string | undefined;
  readonly name: string | undefined;
  readonly ifAbsent: boolean;
  readonly link: boolean;
  readonly progressPort: number | undefined;
  readonly progressHost: string;
}

export async function runFetch(uri: string, options: FetchOptions, context: Context): Promise<void> {
  const { progressPort: port, progressHost: host } = options;
  if (port === undefined) return fetchAndShow(uri, options, context);
  await using endpoint = await openProgressEndpoint({ host, port }, context.reporter);
  context.reporter.note(
    { event: "listening", host, port: endpoint.port },
    `progress at http://${host}:${endpoint.port}/`,
  );
  await fetchAndShow(uri, options, { ...context, reporter: endpoint.reporter });
}

async function fetchAndShow(uri: string, options: FetchOptions, context: Context): Promise<void> {
  const directory = directoryOf(uri, options);
  if (options.link) return linkAndShow(uri, directory, options, context);
  const place = options.store ?? join(resolve(options.to), ".trivium");
  const peers = listOf(context.environment.TRIVIUM_WEIGHTS_PEERS, ":");
  const quota = options.quota === undefined ? {} : { quotaBytes: options.quota };
  const store = new Store(place, { ...quota, peers: () => peers });
  const view = { path: directory, ...(options.name === undefined ? {} : { name: options.name }) };
  const { manifest, how } = await bring(store, uri, { ...options, view }, context);
  await store.view(manifest, directory, options.name);
  const bytes = manifest.files.reduce((sum, file) => sum + file.size, 0);
  const { key, pinned, files } = manifest;
  context.reporter.result(
    { event: "done", how, key, pinned, directory, bytes, files },
    `${directory}: ${countFiles(files)}, ${formatBytes(bytes)}, ${how}`,
  );
}

/** Nothing is stored: the folder has links to the files, which are read where they lie. */
async function linkAndShow(uri: string, directory: string, options: FetchOptions, context: Context): Promise<void> {
  if (options.sha256 !== undefined)
    throw new WeightsError(
      "refused",
      "InvalidOption",
      "--link does not read the files; verify them with verify --sha256",
    );
  await withListing(uri, { ...options, retry: retryOf(options) }, context, async ({ pinned, files }) => {
    await linkFiles(files, { path: directory, ...(options.name === undefined ? {} : { name: options.name }) }, uri);
    const bytes = files.reduce((sum, file) => sum + (file.size ?? 0), 0);
    const listed = files.map(({ path, size }) => ({ path, size }));
    context.reporter.result(
      { event: "done", how: "linked", pinned, directory, bytes, files: listed },
      `${directory}: ${countFiles(files)}, ${formatBytes(bytes)}, linked`,
    );
  });
}

const countFiles = ({ length }: readonly unknown[]): string => `${length} ${length === 1 ? "file" : "files"}`;

function directoryOf(source: string, { to, layout, modelId }: FetchOptions): string {
  if (!isLayoutName(layout)) {
    const names = Object.keys(fixedLayouts).join(", ");
    throw new WeightsError("refused", "InvalidOption", `--layout: unknown layout ${layout} (known: ${names})`);
  }
  const { directory } = fixedLayouts[layout];
  return resolve(directory({ at: to, source, ...(modelId ? { modelId } : {}) }));
}

interface Brought {
  readonly manifest: Manifest;
  /**
   * `kept`: the source does not answer or is not to be asked, and what was fetched from it before serves on. `adopted`: the same, with
   * files that a person put into the folder.
   */
  readonly how: StoreAnswer["how"] | "kept" | "adopted";
}

type BringOptions = FetchOptions & { readonly view: View };

async function bring(store: Store, uri: string, options: BringOptions, context: Context): Promise<Brought> {
  const { include, view, sha256, sha256Of: of } = options;
  const before = await store.lastKnown(uri, include);
  const fallback = await fallbackOf(store, uri, { ...options, before }, context.signal);
  const kept = options.ifAbsent ? await fallback?.take() : undefined;
  if (kept !== undefined) return kept;
  // With something to fall back on there is no need to wait a minute for a source that is down.
  const patient = retryOf(options);
  const retry = fallback === undefined ? patient : { ...patient, attempts: Math.min(2, patient.attempts) };
  try {
    return await withListing(uri, { ...options, retry }, context, (listing) => {
      const expected = sha256 === undefined ? listing : withDigest(listing, { sha256, of }, uri);
      noteMove(before, listing, context.reporter);
      return store.ensure(expected, { source: uri, include, view, settings: settingsOf(options, context) });
    });
  } catch (error) {
    const isDown = error instanceof WeightsError && error.kind === "unreachable";
    const found = isDown ? await fallback?.take() : undefined;
    if (found === undefined) throw error;
    return found;
  }
}

/** What this machine has of the model while its source is not asked or does not answer. */
interface Fallback {
  /** Nothing where its digest is another than the one that is expected. */
  take(): Promise<Brought | undefined>;
}

async function fallbackOf(
  store: Store,
  uri: string,
  { include, view, sha256, sha256Of: of, before }: BringOptions & { readonly before: Manifest | undefined },
  signal: AbortSignal,
): Promise<Fallback | undefined> {
  const isExpected = (found: Manifest): boolean => sha256 === undefined || hasDigest(found, { sha256, of });
  if (before !== undefined)
    return isExpected(before) ? { take: async () => ({ manifest: before, how: "kept" }) } : undefined;
  const request = { source: uri, include, view, signal };
  if (!(await store.canAdopt(request))) return undefined;
  const take = async (): Promise<Brought | undefined> => {
    const adopted = await store.adopt(request);
    return adopted !== undefined && isExpected(adopted) ? { manifest: adopted, how: "adopted" } : undefined;
  };
  return { take };
}

const hasDigest = ({ files }: Manifest, { sha256, of }: ExpectedDigest): boolean =>
  (of === undefined ? files[0] : files.find(({ path }) => path === of))?.sha256 === parseSha256(sha256);

/** A branch or a tag that leads elsewhere than last time is worth a word: the same wish now means other bytes. */
function noteMove(kept: Manifest | undefined, { pinned }: Listing, reporter: Reporter): void {
  const [from, to] = [kept?.pinned.split("#")[0], showUri(pinned)];
  if (kept === undefined || from === undefined || from === to) return;
  reporter.note({ event: "moved", source: kept.source, from, to }, `${kept.source}: moved from ${from} to ${to}`);
}

function retryOf({ attempts }: FetchOptions): RetryRule {
  return attempts === undefined ? patientRetry : { ...patientRetry, attempts };
}

function settingsOf(options: FetchOptions, { reporter, signal }: Context): Partial<TransferSettings> {
  const { limitRate, connections: max, stallTimeout } = options;
  return {
    signal,
    retry: retryOf(options),
    stall: stallTimeout === undefined ? patientStall : { ...patientStall, windowMs: stallTimeout * 1000 },
    onProgress: reporter.progress,
    throttle: limitRate === undefined ? undefined : new Throttle(limitRate),
    concurrency: max === undefined ? defaultConcurrency : { ...defaultConcurrency, max },
  };
}

export async function withListing<T>(
  uri: string,
  options: SourceOptions & { readonly retry: RetryRule },
  { environment, signal }: Context,
  use: (listing: Listing) => Promise<T>,
): Promise<T> {
  const { include, retry, allowRoot, publicOnly, platform } = options;
  const client = createHttpClient({ environment, addresses: publicOnly ? "public" : "any" });
  const named = listOf(environment.TRIVIUM_WEIGHTS_ROOTS, ":");
  try {
    const fileRoots = [...allowRoot, ...named];
    const pvcRoots = [...options.pvcRoot, ...listOf(environment.TRIVIUM_WEIGHTS_PVC_ROOTS)];
    const chosen = platform === undefined ? {} : { platform };
    return await use(
      await resolveModel(uri, { client, environment, fileRoots, pvcRoots, include, retry, signal, ...chosen }),
    );
  } finally {
    await client.close();
  }
}

/** The words of a variable; claims have colons in their names, so those lists are separated by commas. */
function listOf(text: string | undefined, separator = ","): string[] {
  return (text ?? "").split(separator).filter((word) => word !== "");
}
