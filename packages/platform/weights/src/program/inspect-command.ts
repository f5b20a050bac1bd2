import { type GgufHeader, ggufFileTypes, type MetadataValue, type ModelHeader } from "@trivium/domain";
import type { JsonObject } from "@trivium/std";
import { type InspectedModel, inspectModel } from "../reading/inspect-model.ts";
import type { Listing } from "../sources/source.ts";
import { showUri } from "../sources/uri.ts";
import { patientRetry } from "../transfer/http/retry.ts";
import { type Context, type SourceOptions, withListing } from "./fetch-command.ts";
import { formatBytes } from "./words.ts";

/** Says what a model consists of and what its headers say, without downloading it. */
export async function runInspect(uri: string, options: SourceOptions, context: Context): Promise<void> {
  await withListing(uri, { ...options, retry: patientRetry }, context, async ({ pinned, files }) => {
    const { models, config, problems } = await inspectModel(files, { signal: context.signal });
    const rows = files.map(({ path, size, digest, version }) => ({
      path,
      size: size ?? null,
      digest: digest ?? null,
      version: version ?? null,
    }));
    context.reporter.result(
      { event: "listing", pinned: showUri(pinned), files: rows, models, config: config ?? null, problems },
      [
        showUri(pinned),
        ...files.map(lineOfFile),
        ...models.flatMap(linesOfModel),
        ...linesOfConfig(config),
        ...problems,
      ]
        .map(printable)
        .join("\n"),
    );
  });
}

function lineOfFile({ path, size, digest }: Listing["files"][number]): string {
  const hash = digest === undefined ? "no digest" : `${digest.algorithm} ${digest.hex}`;
  return `${size === undefined ? "unknown size" : formatBytes(size)}\t${hash}\t${path}`;
}

function linesOfModel({ path, header }: InspectedModel): string[] {
  const details = header.format === "gguf" ? ggufLines(header) : [];
  return [`${path}: ${titleOf(header)}`, ...details, ...typeLines(header), ...header.warnings].map((line, at) =>
    at === 0 ? line : `  ${line}`,
  );
}

function titleOf(header: ModelHeader): string {
  const name = header.format === "gguf" ? `GGUF version ${header.version}` : "safetensors";
  const files = header.files === 1 ? "" : `, ${header.files} files`;
  const { tensors } = header;
  if (tensors === undefined) return `${name}${files}`;
  return `${name}${files}, ${tensors.count} tensors, ${tensors.elements} parameters, ${formatBytes(tensors.bytes)}`;
}

/** What describes the model: its general keys and those of its architecture. */
function ggufLines({ metadata }: GgufHeader): string[] {
  const prefix = `${String(metadata["general.architecture"])}.`;
  const shown = Object.entries(metadata).filter(([key]) => key.startsWith("general.") || key.startsWith(prefix));
  return shown.map(([key, value]) => `${key} = ${showValue(key, value)}`);
}

function showValue(key: string, value: MetadataValue): string {
  if (typeof value === "string") return JSON.stringify(value.slice(0, 120));
  if (typeof value !== "object") {
    const type = key === "general.file_type" ? ggufFileTypes.get(Number(value) % 1024) : undefined;
    return type === undefined ? String(value) : `${value} (${type})`;
  }
  if ("skipped" in value) return `${value.skipped} of ${value.count}`;
  return `[${value.slice(0, 16).join(", ")}${value.length > 16 ? ", …" : ""}]`;
}

function typeLines({ tensors }: ModelHeader): string[] {
  return Object.entries(tensors?.byType ?? {}).map(
    ([type, share]) => `${type}: ${share.tensors} tensors, ${share.elements} parameters, ${formatBytes(share.bytes)}`,
  );
}

const configWords = [
  "_class_name",
  "model_type",
  "architectures",
  "transformers_version",
  "torch_dtype",
  "num_hidden_layers",
  "hidden_size",
  "num_attention_heads",
  "num_key_value_heads",
  "max_position_embeddings",
  "vocab_size",
  "quantization_config",
];

function linesOfConfig(config: JsonObject | undefined): string[] {
  if (config === undefined) return [];
  return configWords
    .filter((word) => Object.hasOwn(config, word))
    .map((word) => `${word} = ${JSON.stringify(config[word]).slice(0, 200)}`);
}

/** Names and texts of a model come from strangers; none of them may steer a terminal. */
function printable(line: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not reach the terminal.
  return line.replace(/[\u0000-\u0008\u000a-\u001f\u007f-\u009f]/g, "�");
}
