import {
  type GgufHeader,
  type GgufSummary,
  ggufFileTypes,
  guessedFileType,
  type MetadataValue,
  type ModelCapability,
  type ModelFacts,
  type WeightQuantization,
} from "@trivium/domain";
import { getOwn } from "@trivium/std";
import { present } from "./fields.ts";
import { parseGgufShape, readerOf } from "./gguf-shape.ts";
import { parseLicense } from "./license.ts";

const longestText = 256;

/** The lines of a header that a status shows. */
export function summarizeGguf(header: GgufHeader): GgufSummary {
  const read = readerOf(header);
  const license = textOf(header, "general.license");
  const splitTotal = getOwn(header.metadata, "split.tensors.count");
  return {
    ...present({
      architecture: read.architecture === "" ? undefined : shown(read.architecture),
      modelName: textOf(header, "general.name"),
      quantization: quantizationName(header),
      license: license === undefined ? undefined : parseLicense(license),
      contextLength: read.size("context_length"),
      embeddingSize: read.size("embedding_length"),
      layerCount: read.size("block_count"),
      headCount: read.largest("attention.head_count"),
    }),
    tensorCount: typeof splitTotal === "number" && splitTotal > header.tensorCount ? splitTotal : header.tensorCount,
    fileVersion: header.version,
  };
}

/** What a GGUF file says about its model, in the words that all formats share. */
export function parseGgufFacts(header: GgufHeader): ModelFacts {
  const read = readerOf(header);
  const method = quantizationName(header);
  const { tensors } = header;
  const isComplete = tensors !== undefined && tensors.count === summarizeGguf(header).tensorCount;
  return {
    format: { name: "gguf", version: String(header.version) },
    capabilities: [capabilityOf(header)],
    hasVision: getOwn(header.metadata, "clip.has_vision_encoder") === true,
    warnings: header.warnings,
    ...present({
      type: read.architecture === "" ? undefined : shown(read.architecture),
      parameters: isComplete ? { count: tensors.elements, from: "tensors" as const } : undefined,
      quantization: method === undefined ? undefined : quantizationOf(method),
      maxTokens: read.size("context_length"),
      shape: parseGgufShape(header),
    }),
  };
}

/** Whether a chat can be held: the file carries the template that turns messages into a prompt. */
export function hasChatTemplate({ metadata }: GgufHeader): boolean {
  return getOwn(metadata, "tokenizer.chat_template") !== undefined;
}

function quantizationName(header: GgufHeader): string | undefined {
  const number = getOwn(header.metadata, "general.file_type");
  if (typeof number !== "number") return mostCommonType(header);
  const plain = number >= guessedFileType && number < 2 * guessedFileType ? number - guessedFileType : number;
  return ggufFileTypes.get(plain) ?? "Unknown";
}

/** Norms and biases are kept in F32 in every file, so the type with the most bytes of weights speaks for it. */
function mostCommonType({ tensors }: GgufHeader): string | undefined {
  const shares = Object.entries(tensors?.byType ?? {});
  return (
    shares.reduce<[string, number]>(
      (best, [type, { elements }]) => (elements > best[1] ? [type, elements] : best),
      ["", 0],
    )[0] || undefined
  );
}

function quantizationOf(method: string): WeightQuantization {
  const digits = /^[A-Z]*?(\d+)/.exec(method)?.[1];
  return { method, ...(digits === undefined ? {} : { bits: Number(digits) }) };
}

function capabilityOf(header: GgufHeader): ModelCapability {
  const read = readerOf(header);
  const isEmbedding = read.value("pooling_type") !== undefined || read.architecture.includes("bert");
  return isEmbedding ? "EMBEDDING" : "TEXT_TO_TEXT";
}

function textOf({ metadata }: GgufHeader, key: string): string | undefined {
  const value: MetadataValue | undefined = getOwn(metadata, key);
  return typeof value === "string" && value !== "" ? shown(value) : undefined;
}

/** Texts of a file go into statuses, so they are cut to a bearable length. */
function shown(text: string): string {
  return text.slice(0, longestText).toWellFormed();
}
