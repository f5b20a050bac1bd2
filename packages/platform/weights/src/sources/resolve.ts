import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { assertNever } from "@trivium/std";
import { stoppedFault, WeightsError } from "../fault.ts";
import type { HttpClient } from "../transfer/http/http-client.ts";
import { Patience } from "../transfer/http/patience.ts";
import type { RetryRule } from "../transfer/http/retry.ts";
import { nameCandidates } from "./candidates.ts";
import { createFileSource } from "./file-source.ts";
import { matchesAny } from "./glob.ts";
import { createHttpSource } from "./http-source.ts";
import type { HubPlace } from "./hub/hub-api.ts";
import { createHubSource } from "./hub/hub-source.ts";
import { ociLoginFrom } from "./oci/login.ts";
import { createObjectStorageSource, type ObjectStoragePlace } from "./oci/object-storage.ts";
import { createPvcSource, type PvcRoots } from "./pvc-source.ts";
import { registryLoginsFrom } from "./registry/registry-login.ts";
import { ownPlatform } from "./registry/registry-platform.ts";
import { createRegistrySource } from "./registry/registry-source.ts";
import { s3PlaceFrom } from "./s3/s3-place.ts";
import { createS3Source } from "./s3/s3-source.ts";
import type { Listing } from "./source.ts";
import { type ModelUri, parseModelUri, showUri } from "./uri.ts";
import { createVendorSource } from "./vendor-source.ts";

type Environment = Readonly<Record<string, string | undefined>>;

export interface ResolveOptions {
  readonly client: HttpClient;
  /** Tokens, endpoints and keys come from here and from nowhere else. */
  readonly environment: Environment;
  /** Folders that `file://` and absolute paths may read from. */
  readonly fileRoots: readonly string[];
  /** Where claims are mounted, for `pvc://`. */
  readonly pvcRoots?: PvcRoots;
  /** Which manifest of an index is wanted, as `os/architecture`; this machine's own if absent. */
  readonly platform?: string;
  /** Only files that match one of these; empty means all. */
  readonly include: readonly string[];
  readonly retry: RetryRule;
  readonly signal: AbortSignal;
}

/** What a URI stands for now: its files, with sizes, versions and digests, and how to read them. */
export async function resolveModel(text: string, options: ResolveOptions): Promise<Listing> {
  const listing = await patiently(options, () => resolveWhole(parseModelUri(text), options));
  if (options.include.length === 0) return listing;
  // What an archive holds is known only when it is unpacked; the choice is made then.
  const files = listing.files.filter(({ path, archive }) => archive !== undefined || matchesAny(options.include, path));
  const missing = missingFrom(listing, files.length === 0 ? options.include : options.include.filter(isName));
  if (missing === undefined) return { ...listing, files };
  const message = `${showUri(text)}: no file matches ${missing}; ${nameCandidates(missing, listing.files)}`;
  throw new WeightsError("not-found", "NothingMatches", message);
}

/** A file that is named, not described: it has to be there. */
const isName = (pattern: string): boolean => !/[*?]|\/$/.test(pattern);

function missingFrom({ files }: Listing, patterns: readonly string[]): string | undefined {
  if (files.some(({ archive }) => archive !== undefined)) return undefined;
  return patterns.find((pattern) => !files.some(({ path }) => matchesAny([pattern], path)));
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

async function resolveWhole(uri: ModelUri, options: ResolveOptions): Promise<Listing> {
  const { client, environment, fileRoots, signal } = options;
  switch (uri.scheme) {
    case "http":
      return createHttpSource(client).resolve(uri, signal);
    case "file":
      return createFileSource(fileRoots).resolve(uri, signal);
    case "hub":
      return createHubSource(client, hubPlaceFrom(environment)).resolve(uri, signal);
    case "s3":
      return createS3Source(client, await s3PlaceFrom(client, environment)).resolve(uri, signal);
    case "registry": {
      const { platform, include } = options;
      const place = { logins: registryLoginsFrom(environment), platform: platform ?? ownPlatform(), include };
      return createRegistrySource(client, place).resolve(uri, signal);
    }
    case "oci-object":
      return createObjectStorageSource(client, await objectStorageFrom(environment)).resolve(uri, signal);
    case "pvc":
      return createPvcSource(options.pvcRoots ?? []).resolve(uri, signal);
    case "vendor":
      return createVendorSource(environment).resolve(uri, signal);
    case "other":
      throw new WeightsError("refused", "UnsupportedScheme", `${uri.text}: unsupported scheme ${uri.name}`);
    default:
      return assertNever(uri);
  }
}

/** `OCI_PAR` holds the secret of a pre-authenticated request; with it nothing is signed. */
async function objectStorageFrom(environment: Environment): Promise<ObjectStoragePlace> {
  const preauthenticated = environment.OCI_PAR || undefined;
  const given = environment.OCI_ENDPOINT || undefined;
  if (given !== undefined && URL.parse(given) === null)
    throw new WeightsError("refused", "InvalidOption", `OCI_ENDPOINT: ${given} is not a valid URL`);
  const { signer, region } = await ociLoginFrom(environment);
  if (given === undefined && region === undefined) {
    const message = "oci: the region is missing; set OCI_CLI_REGION, or region in the configuration file";
    throw new WeightsError("refused", "InvalidOption", message);
  }
  const endpoint = given ?? `https://objectstorage.${region}.oraclecloud.com`;
  return { endpoint, signer, preauthenticated };
}

/** As the Hub's own clients look for them: `HF_TOKEN`, then the file that `hf auth login` writes. */
export function hubPlaceFrom(environment: Environment): HubPlace {
  const endpoint = (environment.HF_ENDPOINT || "https://huggingface.co").replace(/\/+$/, "");
  if (URL.parse(endpoint) === null)
    throw new WeightsError("refused", "InvalidOption", `HF_ENDPOINT: ${endpoint} is not a valid URL`);
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
