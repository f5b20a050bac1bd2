import {
  type BrokenFile,
  type LocalRoot,
  type ModelHeader,
  modelHeader,
  type RepositoryFile,
  repositoryFiles,
  type SourceHead,
  type SourceRefusal,
  sourceHead,
  whereIs,
} from "@trivium/domain";
import { type Answered, answer } from "@trivium/reconcile";
import { formatFileUri, parseSourceUri } from "@trivium/std";
import {
  type AddressRule,
  createHttpClient,
  type HttpClient,
  inspectModel,
  type Listing,
  resolveModel,
  WeightsError,
} from "@trivium/weights";

export interface ModelSourceOptions {
  /** Proxies, certificates, endpoints and tokens; nothing of tenants. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Which addresses may be asked: sources are written by tenants. */
  readonly addresses: AddressRule;
  /** Folders that local sources may name. */
  readonly localRoots: readonly LocalRoot[];
  readonly now: () => number;
}

/** One attempt: the prober tries again by itself, and slower each time. */
const once = { attempts: 1, firstDelayMs: 0, maxDelayMs: 0 };

/** Answers what model files elsewhere are, without fetching them. */
export function modelSourceAnswers(options: ModelSourceOptions): Answered[] {
  const client = createHttpClient(options);
  const list = (uri: string, signal: AbortSignal): Promise<Listing | SourceRefusal> =>
    listingOf(uri, { client, options, signal });
  return [
    answer(sourceHead, async ({ url }, { signal }) => {
      const listing = await list(url, signal);
      return "refused" in listing ? listing : headOf(listing, options.now());
    }) as Answered,
    answer(repositoryFiles, async ({ uri }, { signal }) => {
      const listing = await list(uri, signal);
      return "refused" in listing ? listing : { files: listing.files.map(fileOf) };
    }) as Answered,
    answer(modelHeader, async ({ uri }, { signal }) => {
      const listing = await list(uri, signal);
      if (!("refused" in listing)) return headerOf(listing, signal);
      if (listing.refused === "not-found") return undefined;
      throw new Error(listing.why);
    }) as Answered,
  ];
}

async function listingOf(
  uri: string,
  { client, options, signal }: { client: HttpClient; options: ModelSourceOptions; signal: AbortSignal },
): Promise<Listing | SourceRefusal> {
  const { environment, localRoots } = options;
  const fileRoots = localRoots.map(({ path, realPath }) => realPath ?? path);
  const read = parseSourceUri(uri);
  const place = read.scheme === "file" ? formatFileUri(whereIs(read.path, localRoots) ?? "") : uri;
  try {
    return await resolveModel(place, { client, environment, fileRoots, include: [], retry: once, signal });
  } catch (error) {
    if (!(error instanceof WeightsError) || !isRefusal(error)) throw error;
    return { refused: error.kind === "not-found" ? "not-found" : "not-allowed", why: error.message };
  }
}

/** What the source itself said. That the operator may not ask there is no answer of the source. */
const refusals: readonly WeightsError["reason"][] = ["TokenMissing", "TokenRejected", "GatedRepo", "AccessDenied"];
const isRefusal = ({ kind, reason }: WeightsError): boolean => kind === "not-found" || refusals.includes(reason);

const fileOf = ({ path, size }: Listing["files"][number]): RepositoryFile =>
  size === undefined ? { path } : { path, bytes: size };

/** A hub names no version of a file, but the digest of its content. */
function headOf({ files: [file] }: Listing, at: number): SourceHead | undefined {
  if (file === undefined) return undefined;
  const version = (file.version ?? file.digest?.hex)?.replace(/^W\//, "").replace(/^"(.*)"$/, "$1");
  return {
    ...(version === undefined ? {} : { version }),
    ...(file.size === undefined ? {} : { length: file.size }),
    at,
  };
}

/** That a file is broken is an answer, and stays so; that it could not be asked for is none. */
async function headerOf(listing: Listing, signal: AbortSignal): Promise<ModelHeader | BrokenFile | undefined> {
  try {
    const { models, problems } = await inspectModel(listing.files, { signal });
    const [first] = models;
    return first === undefined && problems.length > 0 ? broken(problems.join("; ")) : first?.header;
  } catch (error) {
    if (error instanceof WeightsError && error.reason === "InvalidModelFile") return broken(error.message);
    throw error;
  }
}

const broken = (why: string): BrokenFile => ({ format: "broken", why });
