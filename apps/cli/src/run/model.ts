import { closeSync, existsSync, openSync, readSync, statSync } from "node:fs";
import { basename, delimiter, join } from "node:path";
import type { ModelFacts, ModelHeader } from "@trivium/domain";
import {
  formatMemory,
  formatParameterCount,
  type MeasuredWeights,
  measureWeights,
  parseGgufFacts,
  parseModelFacts,
} from "@trivium/engines";
import { formatFileUri, formatHubUri, type Json, Refusal } from "@trivium/std";
import { createHttpClient, inspectModel, type Listing, resolveModel, WeightsError } from "@trivium/weights";
import { chooseVariant, listVariants, variantOf } from "./quantization.ts";
import { nameFor, type RunTarget } from "./target.ts";

/** Weights to serve, as far as they are known before anything is fetched. */
export interface FoundModel {
  readonly name: string;
  readonly source: string;
  /** Files of a repository; none where the source is the file. */
  readonly files: readonly string[];
  /** No other model is in the repository. */
  readonly isWhole: boolean;
  readonly contextTokens: number | undefined;
  /** The longest context that it was trained for. */
  readonly trainedTokens: number | undefined;
  /** One line for people. */
  readonly summary: string;
  readonly facts: ModelFacts;
  readonly measured: MeasuredWeights;
  readonly bytes: number;
  /** Bytes to download; none where they are on this disk. */
  readonly download: number;
}

type Weights = Exclude<RunTarget, { is: "manifest" }>;

/** Long enough for a conversation, and most machines have the memory for it. */
const mostContext = 8_192;
const lookFor = 60_000;
const retry = { attempts: 3, firstDelayMs: 500, maxDelayMs: 5_000 };

/** A model as its headers describe it, wherever it lies. */
export interface SeenModel {
  readonly source: string;
  /** All files of the source; `chosen` are those of the model. */
  readonly files: Listing["files"];
  readonly chosen: readonly string[];
  readonly bytes: number;
  readonly facts: ModelFacts;
  /** What its memory is computed from. */
  readonly measured: MeasuredWeights;
}

/** Reads the header of a model where it is: on this disk, at a hub or behind an address. Nothing is downloaded. */
export async function lookAt(target: Weights, environment: NodeJS.ProcessEnv): Promise<SeenModel> {
  if (target.is === "file") checkFile(target.path);
  const client = createHttpClient({ environment, addresses: "any" });
  const signal = AbortSignal.timeout(lookFor);
  try {
    const options = { client, environment, fileRoots: ["/"], include: [], retry, signal };
    const { files } = await resolveModel(uriOf(target), options);
    const chosen = chooseFiles(target, files);
    const wanted = files.filter(({ path }) => chosen.includes(path));
    const { models, config } = await inspectModel(wanted, { signal });
    const header = models[0]?.header;
    const bytes = wanted.reduce((sum, { size = 0 }) => sum + size, 0);
    const facts = header?.format === "gguf" ? parseGgufFacts(header) : factsOfOther(target, header, config);
    const measured = measureWeights(facts, models.length === 1 ? header : undefined);
    return { source: uriOf(target), files, chosen, bytes, facts, measured };
  } catch (error) {
    if (!(error instanceof WeightsError)) throw error;
    throw new Refusal(error.kind === "unreachable" ? `${error.message}; ${offline}` : error.message);
  } finally {
    await client.close();
  }
}

const offline = "check the address and the network; behind a proxy, set HTTPS_PROXY";

/** What a download that failed, or a page that was saved instead of a file, leaves behind. */
function checkFile(path: string): void {
  // The opening of a pipe waits for a writer.
  if (!statSync(path).isFile()) throw new Refusal(`${path} is not a regular file; name a GGUF file`);
  const file = openSync(path, "r");
  const start = Buffer.alloc(4);
  const length = readSync(file, start);
  closeSync(file);
  if (length === 0) throw new Refusal(`${path} is empty; download it again`);
  if (/\.gguf$/i.test(path) && start.toString("latin1") !== "GGUF")
    throw new Refusal(
      `${path} is not a GGUF file; download a .gguf file, or name a repository that has one as org/repo`,
    );
}

function factsOfOther(target: Weights, header: ModelHeader | undefined, config: Json | undefined): ModelFacts {
  if (header === undefined && config === undefined)
    throw new Refusal(
      target.is === "file"
        ? `${target.path} is no model: neither GGUF nor safetensors; name a GGUF file`
        : `${uriOf(target)} has no model: neither a GGUF file nor safetensors were found; choose another one`,
    );
  const tensors = header?.format === "safetensors" ? { header } : {};
  return parseModelFacts({ ...(config === undefined ? {} : { config }), ...tensors });
}

/** The weights to serve, as far as they are known before anything is downloaded. */
export async function findModel(target: Weights, environment: NodeJS.ProcessEnv): Promise<FoundModel> {
  const { source, files, chosen, bytes, facts, measured } = await lookAt(target, environment);
  if (facts.format?.name !== "gguf") throw new Refusal(`${source} ${describeOther(facts, environment.PATH)}`);
  const contextTokens = facts.maxTokens === undefined ? undefined : Math.min(facts.maxTokens, mostContext);
  return {
    name: nameFor(target.is === "repository" ? target.repository : basename(chosen[0] ?? "")),
    source,
    files: target.is === "repository" ? chosen : [],
    isWhole: target.is === "repository" && listVariants(files).length === 1,
    contextTokens,
    trainedTokens: facts.maxTokens,
    summary: summaryOf(facts, bytes),
    facts,
    measured,
    bytes,
    download: target.is === "file" ? 0 : bytes,
  };
}

function uriOf(target: Weights): string {
  if (target.is === "file") return formatFileUri(target.path);
  if (target.is === "address") return target.uri;
  return formatHubUri({ repo: target.repository, revision: target.revision });
}

/** The files of the model that was named; of a repository one quantization, or everything where it has no GGUF. */
function chooseFiles(target: Weights, files: Listing["files"]): readonly string[] {
  const all = files.map(({ path }) => path);
  if (target.is !== "repository") return all;
  const variants = listVariants(files);
  if (target.file !== undefined) return variantOf(target.repository, variants, target.file).files;
  return variants.length === 0 ? all : chooseVariant(target.repository, variants, target.quantization).files;
}

/** What could serve a model that is not GGUF here, and what cannot. */
export function describeOther({ format, architecture, type }: ModelFacts, path: string | undefined): string {
  const what = [architecture ?? type, format?.name].filter((word) => word !== undefined).join(" as ");
  const installed = otherServers.filter((name) => isOnPath(name, path));
  const here =
    installed.length === 0
      ? `neither ${otherServers.join(" nor ")} is on PATH: install one of them and create a manifest`
      : `${installed.join(" and ")} on PATH can serve it: create a manifest`;
  return `has no GGUF file (found: ${what || "unknown format"}), and llama.cpp serves GGUF only; ${here} (docs/guides/manifests.md), or choose a repository with GGUF files`;
}

/** Programs that a node of this machine starts for an image of their name. */
const otherServers = ["vllm", "sglang"];

const isOnPath = (name: string, path = ""): boolean =>
  path.split(delimiter).some((folder) => folder !== "" && existsSync(join(folder, name)));

function summaryOf({ type, parameters, quantization, maxTokens }: ModelFacts, bytes: number): string {
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
