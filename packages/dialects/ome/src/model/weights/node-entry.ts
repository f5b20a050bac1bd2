import { type MeasuredWeights, parseMeasuredWeights } from "@trivium/engines";
import { isObject, type Json, type JsonObject } from "@trivium/std";
import { type ConfigurationSummary, parseSummary } from "../discovery/configuration-summary.ts";
import { type PipelineFound, parsePipelineFound } from "../discovery/pipeline-found.ts";

/** How a node stands with a model. */
export type NodeModelState = "Ready" | "Updating" | "Failed" | "Deleted";

/** What a node says of one model in its ConfigMap. */
export interface NodeEntry {
  readonly name: string;
  readonly status: NodeModelState;
  /** Hash of the source that it is about: a report on the source before an edit says nothing about the one after it. */
  readonly source?: string | undefined;
  readonly config?: DiscoveredConfig | undefined;
  readonly progress?: NodeProgress | undefined;
  /** Whether the node has other downloads to finish first. */
  readonly queued?: true | undefined;
  /** What is to be downloaded, once the source was listed; without a size where the list has none. */
  readonly listed?: { readonly weightBytes?: number | undefined } | undefined;
  /** Why it failed, or what is odd about the files. */
  readonly message?: string | undefined;
  /** The kind of failure, as an exit code of `trivium-weights`. */
  readonly exitCode?: number | undefined;
  /** After a failure: how often in a row, and when it is tried again. */
  readonly retry?: { readonly failures: number; readonly nextTry: string } | undefined;
}

/** What the files of a model say that it is. */
export interface DiscoveredConfig {
  readonly modelType?: string | undefined;
  readonly modelArchitecture?: string | undefined;
  readonly modelFramework?: { readonly name: string; readonly version?: string | undefined } | undefined;
  readonly modelFormat?: { readonly name: string; readonly version?: string | undefined } | undefined;
  readonly modelParameterSize?: string | undefined;
  readonly maxTokens?: number | undefined;
  readonly modelCapabilities?: readonly string[] | undefined;
  readonly apiCapabilities?: readonly string[] | undefined;
  readonly quantization?: string | undefined;
  readonly modelConfiguration?: ConfigurationSummary | undefined;
  readonly diffusionPipeline?: PipelineFound | undefined;
  /** Bytes of the weights, as their headers say. */
  readonly weightBytes?: number | undefined;
  /** What its memory is computed from. */
  readonly measured?: MeasuredWeights | undefined;
  /** What tuned weights are, and the one file they consist of where it is one. */
  readonly adapter?: AdapterFound | undefined;
}

export interface AdapterFound {
  /** `lora`, `ia3` … */
  readonly kind?: string | undefined;
  readonly rank?: number | undefined;
  readonly baseModel?: string | undefined;
  readonly file?: string | undefined;
}

export interface NodeProgress {
  readonly phase: string;
  readonly totalBytes: number;
  readonly completedBytes: number;
  readonly speedBytesPerSec: number;
  readonly lastUpdated: string;
}

const states: readonly string[] = ["Ready", "Updating", "Failed", "Deleted"];
const longestEntry = 256 * 1024;

/** Nothing for what is no entry: the ConfigMap is open to whoever may write ConfigMaps. */
export function parseNodeEntry(text: string): NodeEntry | undefined {
  if (text.length > longestEntry) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isObject(value) || typeof value.status !== "string" || !states.includes(value.status)) return undefined;
  const config = isObject(value.config) ? parseConfig(value.config) : undefined;
  const progress = isObject(value.progress) ? parseProgress(value.progress) : undefined;
  return {
    name: textOf(value.name) ?? "",
    status: value.status as NodeModelState,
    ...(typeof value.source === "string" ? { source: value.source.slice(0, 64) } : {}),
    ...(config === undefined ? {} : { config }),
    ...(progress === undefined ? {} : { progress }),
    ...(value.queued === true ? { queued: true as const } : {}),
    ...(isObject(value.listed) ? { listed: parseListed(value.listed) } : {}),
    ...(typeof value.message === "string" ? { message: value.message.slice(0, 1024) } : {}),
    ...(isAmount(value.exitCode) ? { exitCode: value.exitCode } : {}),
  };
}

const parseListed = ({ weightBytes }: JsonObject): NonNullable<NodeEntry["listed"]> =>
  isAmount(weightBytes) && weightBytes > 0 ? { weightBytes } : {};

function parseProgress(progress: JsonObject): NodeProgress | undefined {
  const { totalBytes = 0, completedBytes, speedBytesPerSec = 0 } = progress;
  if (!isAmount(totalBytes) || !isAmount(completedBytes) || !isAmount(speedBytesPerSec)) return undefined;
  const [phase, lastUpdated] = [textOf(progress.phase) ?? "", textOf(progress.lastUpdated) ?? ""];
  return { phase, totalBytes, completedBytes, speedBytesPerSec, lastUpdated };
}

const isAmount = (value: Json | undefined): value is number =>
  typeof value === "number" && value >= 0 && value <= Number.MAX_SAFE_INTEGER;

function parseConfig(config: JsonObject): DiscoveredConfig {
  const maxTokens = config.maxTokens;
  const isCount = typeof maxTokens === "number" && Number.isInteger(maxTokens) && maxTokens > 0 && maxTokens < 2 ** 31;
  return withoutNothing({
    modelType: textOf(config.modelType),
    modelArchitecture: textOf(config.modelArchitecture),
    modelFramework: namedOf(config.modelFramework),
    modelFormat: namedOf(config.modelFormat),
    modelParameterSize: textOf(config.modelParameterSize),
    maxTokens: isCount ? maxTokens : undefined,
    modelCapabilities: textsOf(config.modelCapabilities),
    apiCapabilities: textsOf(config.apiCapabilities),
    quantization: textOf(config.quantization),
    modelConfiguration: parseSummary(config.modelConfiguration),
    diffusionPipeline: parsePipelineFound(config.diffusionPipeline),
    weightBytes: isAmount(config.weightBytes) && config.weightBytes > 0 ? config.weightBytes : undefined,
    measured: parseMeasuredWeights(config.measured),
    adapter: isObject(config.adapter) ? parseAdapterFound(config.adapter) : undefined,
  });
}

export function parseAdapterFound(adapter: JsonObject): AdapterFound {
  const { rank } = adapter;
  return withoutNothing({
    kind: textOf(adapter.kind),
    rank: typeof rank === "number" && Number.isInteger(rank) && rank > 0 && rank < 65_536 ? rank : undefined,
    baseModel: textOf(adapter.baseModel),
    file: textOf(adapter.file),
  });
}

const textOf = (value: Json | undefined): string | undefined =>
  typeof value === "string" && value !== "" ? value.slice(0, 256) : undefined;

function textsOf(value: Json | undefined): string[] | undefined {
  const texts = Array.isArray(value) ? value.slice(0, 64).flatMap((one) => textOf(one) ?? []) : [];
  return texts.length === 0 ? undefined : texts;
}

function namedOf(value: Json | undefined): DiscoveredConfig["modelFormat"] {
  if (!isObject(value)) return undefined;
  const [name, version] = [textOf(value.name), textOf(value.version)];
  return name === undefined ? undefined : { name, ...(version === undefined ? {} : { version }) };
}

function withoutNothing<T extends object>(record: T): T {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)) as T;
}
