import {
  type BrokenFile,
  type LocalRoot,
  type ModelHeader,
  modelHeader,
  type SourceHead,
  sourceHead,
  whereIs,
} from "@trivium/domain";
import { type Answered, answer } from "@trivium/reconcile";
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
  const list = (uri: string, signal: AbortSignal): Promise<Listing | undefined> =>
    listingOf(uri, { client, options, signal });
  return [
    answer(sourceHead, async ({ url }, { signal }) => headOf(await list(url, signal), options.now())) as Answered,
    answer(modelHeader, async ({ uri }, { signal }) => headerOf(await list(uri, signal), signal)) as Answered,
  ];
}

async function listingOf(
  uri: string,
  { client, options, signal }: { client: HttpClient; options: ModelSourceOptions; signal: AbortSignal },
): Promise<Listing | undefined> {
  const { environment, localRoots } = options;
  const fileRoots = localRoots.map(({ path, realPath }) => realPath ?? path);
  const place = uri.startsWith("file://") ? `file://${whereIs(uri.slice("file://".length), localRoots) ?? ""}` : uri;
  try {
    return await resolveModel(place, { client, environment, fileRoots, include: [], retry: once, signal });
  } catch (error) {
    if (error instanceof WeightsError && error.kind === "not-found") return undefined;
    throw error;
  }
}

function headOf(listing: Listing | undefined, at: number): SourceHead | undefined {
  const file = listing?.files[0];
  if (file === undefined) return undefined;
  const version = file.version?.replace(/^W\//, "").replace(/^"(.*)"$/, "$1");
  return {
    ...(version === undefined ? {} : { version }),
    ...(file.size === undefined ? {} : { length: file.size }),
    at,
  };
}

/** That a file is broken is an answer, and stays so; that it could not be asked for is none. */
async function headerOf(
  listing: Listing | undefined,
  signal: AbortSignal,
): Promise<ModelHeader | BrokenFile | undefined> {
  if (listing === undefined) return undefined;
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
