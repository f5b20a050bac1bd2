/**
 * The part of the native addon of node-llama-cpp that is used here, in types of our own. Only the package with the binaries is
 * installed: one library for each generation of processors, of which the best one is loaded. Its classes are not a public
 * interface, so the version is pinned.
 */
import { existsSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

export interface AddonModelOptions {
  readonly gpuLayers?: number;
  readonly useMmap?: boolean;
  readonly useMlock?: boolean;
  readonly overridesList?: readonly AddonOverride[];
}

/** An integer is a bigint, or a number with kind 0; a float is a number with kind 1. */
export type AddonOverride = readonly [key: string, value: string | number | bigint | boolean, kind: 0 | 1 | undefined];

export interface AddonContextOptions {
  readonly contextSize: number;
  readonly batchSize: number;
  readonly sequences: number;
  readonly threads: number;
  readonly flashAttention: boolean | "auto";
  readonly embeddings?: boolean;
  readonly ranking?: boolean;
  readonly kvCacheKeyType?: number;
  readonly kvCacheValueType?: number;
  readonly swaFullCache?: boolean;
}

export interface AddonModel {
  init(): Promise<boolean>;
  loadLora(lora: AddonLora): Promise<void>;
  tokenize(text: string, readSpecial: boolean): Uint32Array;
  detokenize(tokens: Uint32Array, showSpecial: boolean): string;
  getEmbeddingVectorSize(): number;
  getTotalSize(): number;
  getTotalParameters(): number;
  getModelDescription(): string;
  tokenBos(): number;
  tokenEos(): number;
  sepToken(): number;
  getTokenString(token: number): string;
  getTokenAttributes(token: number): number;
  isEogToken(token: number): boolean;
  getVocabularyType(): number;
  shouldPrependBosToken(): boolean;
  shouldAppendEosToken(): boolean;
}

export type AddonLora = object;
export type AddonGrammar = object;
export type AddonGrammarState = object;

export interface AddonSampler {
  applyConfig(config: object): void;
  dispose(): void;
}

/** What a sampler reports beside the token: pairs of token and logit, and the sum of all weights relative to the largest. */
export type AddonSampled = readonly [
  token: number,
  probabilities: undefined,
  confidence: undefined,
  logits: readonly number[] | undefined,
  totalWeight: number | undefined,
];

export interface AddonContext {
  init(): Promise<boolean>;
  initBatch(size: number): void;
  addToBatch(sequence: number, position: number, tokens: Uint32Array, withLogits: Uint32Array): Uint32Array;
  decodeBatch(): Promise<void>;
  sampleToken(at: number, sampler: AddonSampler): Promise<number>;
  /** With pairs of token and probability, after the sampler did its work. */
  sampleToken(
    at: number,
    sampler: AddonSampler,
    probabilities: true,
    confidence: false,
  ): Promise<readonly [token: number, probabilities: readonly number[] | undefined]>;
  sampleToken(
    at: number,
    sampler: AddonSampler,
    probabilities: false,
    confidence: false,
    logits: readonly [tokens: readonly number[], highest: false, lowest: false, selected: true, top: number],
    totalWeight: true,
  ): Promise<AddonSampled>;
  disposeSequence(sequence: number): void;
  removeTokenCellsFromSequence(sequence: number, start: number, end: number): boolean;
  getSequenceKvCacheMinPosition(sequence: number): number;
  copySequenceStateFromOtherSequence(target: number, source: number): Promise<number>;
  /** Throws where the two models do not have the same vocabulary. Another value than a context ends the process. */
  ensureDraftContextIsCompatibleForSpeculative(draft: AddonContext): void;
  getEmbedding(tokens: number): Float64Array;
  setLoras(loras: readonly AddonLora[], scales: readonly number[]): void;
}

export interface Addon {
  readonly AddonModel: new (path: string, options: AddonModelOptions & { addonExports: Addon }) => AddonModel;
  readonly AddonModelLora: new (model: AddonModel, path: string) => AddonLora;
  readonly AddonContext: new (model: AddonModel, options: AddonContextOptions) => AddonContext;
  readonly AddonGrammar: new (text: string, options: { addonExports: Addon; rootRuleName: string }) => AddonGrammar;
  readonly AddonGrammarEvaluationState: new (model: AddonModel, grammar: AddonGrammar) => AddonGrammarState;
  readonly AddonSampler: (new (
    model: AddonModel,
  ) => AddonSampler) & {
    acceptGrammarEvaluationStateToken(state: AddonGrammarState, token: number): void;
  };
  systemInfo(): string;
  getGgmlType(name: string): number | undefined;
  getIsArchSupported(architecture: string): boolean;
  setLogger(logger: (level: number, message: string) => void): void;
  setLoggerLogLevel(level: number): void;
  loadBackends(folder?: string): void;
  init(): Promise<void>;
  /** "cuda", "vulkan", "metal", or false where it computes on the processor. */
  getGpuType(): string | false | undefined;
  getGpuDeviceInfo(): { readonly deviceNames: readonly string[] };
  /** Bytes of all devices together. */
  getGpuVramInfo(): { readonly total: number; readonly used: number };
}

/** A build that was asked for by name cannot be used; the message says why and what to do. */
export class BuildFailure extends Error {}

/** Errors of native code; lower numbers are worse. */
const errorLevel = 2;

/**
 * Loads the addon; its errors go to `report`. Undefined where this platform has none. Where the folder of another build is given,
 * that one is loaded, or the failure is told: a model for a GPU must not end up on the processor unnoticed.
 */
export async function loadAddon(report: (line: string) => void, build?: string): Promise<Addon | undefined> {
  const folder = build ?? addonFolder();
  if (folder === undefined) return undefined;
  const addon = openAddon(join(folder, "llama-addon.node"), build !== undefined);
  if (addon === undefined) return undefined;
  addon.setLogger((_, message) => report(message.trimEnd()));
  addon.setLoggerLogLevel(errorLevel);
  addon.loadBackends();
  // The libraries for the processors lie beside the addon, and are only found when they are looked for there.
  if (addon.systemInfo().trim() === "" || build !== undefined) addon.loadBackends(folder);
  await addon.init();
  if (build !== undefined && !addon.getGpuType()) throw failureOf(folder);
  return addon;
}

/** A system with older libraries than it was built for cannot open it. */
function openAddon(path: string, isRequired: boolean): Addon | undefined {
  try {
    return createRequire(import.meta.url)(path) as Addon;
  } catch (error) {
    if (isRequired)
      throw new BuildFailure(buildFailureText(path, error instanceof Error ? error.message : String(error)));
    return undefined;
  }
}

/** Native code skips a backend that it cannot open and does not tell why; the dynamic linker does, when asked for that library. */
function failureOf(folder: string): BuildFailure {
  const backend = readdirSync(folder).find((name) => /^libggml-(cuda|vulkan|metal)\./.test(name));
  if (backend === undefined) return new BuildFailure(buildFailureText(folder, "it has no library for a GPU"));
  try {
    process.dlopen({ exports: {} } as NodeJS.Module, join(folder, backend));
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    // A library of llama.cpp is no module of Node, so a complaint about that means that it could be opened.
    if (!/self-register/.test(text)) return new BuildFailure(buildFailureText(folder, text));
  }
  return new BuildFailure(buildFailureText(folder, "it found no GPU"));
}

/** What the build lacks, with the way to it. */
export function buildFailureText(path: string, why: string): string {
  const [, library] = /(lib[\w.+-]+\.so[\d.]*): cannot open shared object file/.exec(why) ?? [];
  const reason = library === undefined ? why : `${library} not found`;
  return `cannot load the GPU build of the engine in ${path}: ${reason}; ${remedyOf(library)}`;
}

function remedyOf(library: string | undefined): string {
  if (library === undefined) return "run trivium engine ls to see the GPUs and builds of this machine";
  const [, number] = /^lib(?:cudart|cublas|cublasLt)\.so\.(\d+)/.exec(library) ?? [];
  if (number !== undefined) return `install the libraries cudart and cublas of CUDA ${number}`;
  if (library.startsWith("libcuda.")) return "install the driver of the GPU";
  if (library.startsWith("libvulkan.")) return "install the Vulkan loader (libvulkan1)";
  return "install the package that has this library";
}

function addonFolder(): string | undefined {
  const platform = `${process.platform}-${process.arch}`;
  try {
    const entry = createRequire(import.meta.url).resolve(`@node-llama-cpp/${platform}`);
    const folder = join(dirname(entry), "..", "bins", platform);
    return existsSync(join(folder, "llama-addon.node")) ? folder : undefined;
  } catch {
    return undefined;
  }
}

export const addonBuild = "llama.cpp-0.5.0";
