import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { assertNever } from "@trivium/std";
import { stoppedFault, WeightsError } from "../fault.ts";
import type { HttpClient } from "../transfer/http-client.ts";
import { Patience } from "../transfer/patience.ts";
import type { RetryRule } from "../transfer/retry.ts";
import { createFileSource } from "./file-source.ts";
import { matchesAny } from "./glob.ts";
import { createHttpSource } from "./http-source.ts";
import type { HubPlace } from "./hub-api.ts";
import { createHubSource } from "./hub-source.ts";
import { registryLoginsFrom } from "./registry-login.ts";
import { createRegistrySource } from "./registry-source.ts";
import { s3PlaceFrom } from "./s3-place.ts";
import { createS3Source } from "./s3-source.ts";
import type { Listing } from "./source.ts";
import { type ModelUri, parseModelUri, showUri } from "./uri.ts";

type Environment = Readonly<Record<string, string | undefined>>;

export interface ResolveOptions {
  readonly client: HttpClient;
  /** Tokens, endpoints and keys come from here and from nowhere else. */
  readonly environment: Environment;
  /** Folders that `file://` and absolute paths may read from. */
  readonly fileRoots: readonly string[];
  /** Only files that match one of these; empty means all. */
  readonly include: readonly string[];
  readonly retry: RetryRule;
  readonly signal: AbortSignal;
}

/** What a URI stands for now: its files, with sizes, versions and digests, and how to read them. */
export async function resolveModel(text: string, options: ResolveOptions): Promise<Listing> {
  const listing = await patiently(options, () => resolveWhole(parseModelUri(text), options));
  if (options.include.length === 0) return listing;
  const files = listing.files.filter(({ path }) => matchesAny(options.include, path));
  if (files.length > 0) return { ...listing, files };
  const message = `${showUri(text)}: none of its ${listing.files.length} files matches ${options.include.join(", ")}`;
  throw new WeightsError("not-found", "NothingMatches", message);
}

async function patiently(options: ResolveOptions, resolve: () => Promise<Listing>): Promise<Listing> {
  const patience = new Patience(options.retry);
  for (;;) {
    if (options.signal.aborted) throw stoppedFault();
    const startedAt = performance.now();
    try {
      return await resolve();
    } catch (error) {
      if (options.signal.aborted) throw stoppedFault();
      await patience.afterFailure(error, startedAt, options.signal);
    }
  }
}

async function resolveWhole(
  uri: ModelUri,
  { client, environment, fileRoots, signal }: ResolveOptions,
): Promise<Listing> {
  switch (uri.scheme) {
    case "http":
      return createHttpSource(client).resolve(uri, signal);
    case "file":
      return createFileSource(fileRoots).resolve(uri, signal);
    case "hub":
      return createHubSource(client, hubPlaceFrom(environment)).resolve(uri, signal);
    case "s3":
      return createS3Source(client, s3PlaceFrom(environment)).resolve(uri, signal);
    case "registry":
      return createRegistrySource(client, registryLoginsFrom(environment)).resolve(uri, signal);
    case "other":
      throw new WeightsError("refused", "UnsupportedScheme", `${uri.text}: nothing here handles ${uri.name}`);
    default:
      return assertNever(uri);
  }
}

/** As the Hub's own clients look for them: `HF_TOKEN`, then the file that `hf auth login` writes. */
export function hubPlaceFrom(environment: Environment): HubPlace {
  const endpoint = (environment.HF_ENDPOINT || "https://huggingface.co").replace(/\/+$/, "");
  if (URL.parse(endpoint) === null)
    throw new WeightsError("refused", "InvalidOption", `HF_ENDPOINT: ${endpoint} is no web address`);
  const token = environment.HF_TOKEN || environment.HUGGING_FACE_HUB_TOKEN || tokenFile(environment);
  return { endpoint, token: token?.trim() || undefined };
}

function tokenFile(environment: Environment): string | undefined {
  const home = environment.HF_HOME || join(environment.HOME || homedir(), ".cache", "huggingface");
  try {
    return readFileSync(environment.HF_TOKEN_PATH || join(home, "token"), "utf8");
  } catch {
    return undefined;
  }
}
