import { basename } from "node:path";
import type { GgufHeader } from "@trivium/domain";
import { formatMemory, formatParameterCount, parseGgufFacts, summarizeGguf } from "@trivium/engines";
import { Refusal } from "@trivium/std";
import { createHttpClient, inspectModel, type Listing, resolveModel, WeightsError } from "@trivium/weights";
import { chooseVariant, listVariants } from "./quantization.ts";
import { nameFor, type RunTarget } from "./target.ts";

/** Weights to serve, as far as they are known before anything is fetched. */
export interface FoundModel {
  readonly name: string;
  readonly source: string;
  /** Files of a repository; none where the source is the file. */
  readonly files: readonly string[];
  readonly contextTokens: number | undefined;
  /** One line for people. */
  readonly summary: string;
  /** Bytes to download; none where they are on this disk. */
  readonly download: number;
}

type Weights = Exclude<RunTarget, { is: "manifest" }>;

/** Long enough for a conversation, and most machines have the memory for it. */
const mostContext = 8_192;
const lookFor = 60_000;
const retry = { attempts: 3, firstDelayMs: 500, maxDelayMs: 5_000 };

/** Reads the header of a model where it is: on this disk, at a hub or behind an address. */
export async function findModel(target: Weights, environment: NodeJS.ProcessEnv): Promise<FoundModel> {
  const client = createHttpClient({ environment, addresses: "any" });
  const signal = AbortSignal.timeout(lookFor);
  try {
    const options = { client, environment, fileRoots: ["/"], include: [], retry, signal };
    const listing = await resolveModel(uriOf(target), options);
    return await describe(target, listing, signal);
  } catch (error) {
    if (error instanceof WeightsError) throw new Refusal(error.message);
    throw error;
  } finally {
    await client.close();
  }
}

function uriOf(target: Weights): string {
  if (target.is === "file") return `file://${target.path}`;
  if (target.is === "address") return target.uri;
  return `hf://${target.repository}${target.revision === undefined ? "" : `@${target.revision}`}`;
}

async function describe(target: Weights, { files }: Listing, signal: AbortSignal): Promise<FoundModel> {
  const chosen = target.is === "repository" ? variantOf(target, files) : files.map(({ path }) => path);
  const wanted = files.filter(({ path }) => chosen.includes(path));
  const { models } = await inspectModel(wanted, { signal });
  const header = models[0]?.header;
  if (header?.format !== "gguf") throw new Refusal(`${uriOf(target)} is not a GGUF file; ${whatServes}`);
  const bytes = wanted.reduce((sum, { size = 0 }) => sum + size, 0);
  const { contextLength } = summarizeGguf(header);
  return {
    name: nameFor(target.is === "repository" ? target.repository : basename(wanted[0]?.path ?? "")),
    source: uriOf(target),
    files: target.is === "repository" ? chosen : [],
    contextTokens: contextLength === undefined ? undefined : Math.min(contextLength, mostContext),
    summary: summaryOf(header, bytes),
    download: target.is === "file" ? 0 : bytes,
  };
}

const whatServes =
  "this machine serves GGUF files; safetensors need vLLM or SGLang on PATH and a manifest (see docs/guides/manifests.md)";

function variantOf(target: Extract<Weights, { is: "repository" }>, files: Listing["files"]): readonly string[] {
  const variants = listVariants(files);
  if (variants.length === 0) throw new Refusal(`${target.repository} has no GGUF file; ${whatServes}`);
  return chooseVariant(target.repository, variants, target.quantization).files;
}

function summaryOf(header: GgufHeader, bytes: number): string {
  const { type, parameters, quantization, maxTokens } = parseGgufFacts(header);
  return [
    type,
    parameters === undefined ? undefined : `${formatParameterCount(parameters.count)} parameters`,
    quantization?.method,
    maxTokens === undefined ? undefined : `context ${maxTokens}`,
    formatMemory(bytes),
  ]
    .filter((word) => word !== undefined)
    .join(", ");
}
