import { stat } from "node:fs/promises";
import type { GgufHeader, MetadataValue } from "@trivium/domain";
import { openDiskSource, readGguf, WeightsError } from "@trivium/weights";

/** Why a file cannot be a model, in words for the person who passed it. */
export class ModelFileError extends Error {}

/** What the engine reads of a model file before native code does. */
export interface ModelFileHeader {
  readonly architecture: string;
  readonly bytes: number;
  readonly metadata: Readonly<Record<string, MetadataValue>>;
  /** How many tokens it knows. */
  readonly vocabulary: number;
  /** It has the tensors that tell how well a text answers another. */
  readonly ranks?: boolean;
}

/**
 * Reads the head of a model file and checks that all its tensors are inside. The native loader would find the same, but some
 * broken files it answers by ending the process, and its words are for developers.
 */
export async function readModelFile(path: string): Promise<ModelFileHeader> {
  const bytes = await sizeOf(path);
  let ranks = false;
  const onTensor = ({ name }: { readonly name: string }): void => {
    ranks ||= name.startsWith("cls.");
  };
  const header = await read(path, onTensor);
  // What can be described, but not loaded.
  if (header.version < 2) throw failure(path, `GGUF version ${header.version} is not supported (supported: 2 and 3)`);
  if (header.byteOrder === "big") throw failure(path, "it is written for big-endian machines; convert it");
  const architecture = header.metadata["general.architecture"];
  if (typeof architecture !== "string") throw failure(path, "its header contains no architecture");
  const tokens = header.metadata["tokenizer.ggml.tokens"] ?? header.metadata[`${architecture}.vocab_size`];
  return { architecture, bytes, metadata: header.metadata, vocabulary: countOf(tokens), ranks };
}

/** Of a list that was kept, of one that was passed over, or as the file says. */
function countOf(value: MetadataValue | undefined): number {
  if (Array.isArray(value)) return value.length;
  return typeof value === "object" && "count" in value ? value.count : Number(value ?? 0);
}

async function sizeOf(path: string): Promise<number> {
  try {
    const found = await stat(path);
    if (found.isFile()) return found.size;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw failure(path, code === "ENOENT" ? "file not found" : `cannot open the file (${code})`);
  }
  throw failure(path, "it is not a file; pass the .gguf file itself");
}

async function read(path: string, onTensor: (tensor: { readonly name: string }) => void): Promise<GgufHeader> {
  try {
    const source = await openDiskSource(path);
    try {
      return await readGguf(source, { onTensor });
    } finally {
      await source.close();
    }
  } catch (error) {
    throw error instanceof WeightsError ? new ModelFileError(`cannot load model ${error.message}`) : error;
  }
}

const failure = (path: string, why: string): ModelFileError => new ModelFileError(`cannot load model ${path}: ${why}`);
