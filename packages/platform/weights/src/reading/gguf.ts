import type { GgufHeader, MetadataValue } from "@trivium/domain";
import { setOwn } from "@trivium/std";
import type { ByteSource } from "./byte-source.ts";
import { ended, type LengthWidth, readKey, readValue } from "./gguf-metadata.ts";
import { type GgufTensor, readTensors, type TensorSection } from "./gguf-tensors.ts";
import { HeaderCursor } from "./header-cursor.ts";

export interface GgufOptions {
  /** `facts` may end before the vocabulary, when what describes the model stood before it; `whole` reads all. */
  readonly depth?: "whole" | "facts";
  /** Which arrays to keep; the others are counted and passed over. */
  readonly keepArray?: (key: string) => boolean;
  readonly onTensor?: (tensor: GgufTensor) => void;
  /** `header` for a file that was cut after its header on purpose: where tensors lie is then not held against its size. */
  readonly content?: "complete" | "header";
}

const maxKeys = 65_536;
const maxTensors = 1_000_000;
const maxWarnings = 16;
const largestAlignment = 1024 * 1024;
const defaultAlignment = 32;

/** Reads the header of one GGUF file, of any version and byte order, and nothing after it. */
export async function readGguf(source: ByteSource, options: GgufOptions = {}): Promise<GgufHeader> {
  const cursor = new HeaderCursor(source);
  const front = await readFront(cursor);
  const { metadata, warnings, endsBefore } = await readMetadata(cursor, front, options);
  const start = {
    format: "gguf" as const,
    version: front.version,
    byteOrder: cursor.isLittle ? ("little" as const) : ("big" as const),
    files: 1,
    metadata,
    tensorCount: front.tensorCount,
  };
  if (endsBefore !== undefined) return { ...start, endsBefore, warnings };
  const alignment = alignmentOf(cursor, metadata);
  const section = await readTensors(cursor, {
    count: front.tensorCount,
    width: front.width,
    alignment,
    onTensor: options.onTensor ?? (() => {}),
  });
  if ((options.content ?? "complete") === "complete") checkExtent(cursor, section, alignment);
  return { ...start, tensors: section.totals, warnings: [...warnings, ...section.warnings] };
}

interface Front {
  readonly version: number;
  readonly width: LengthWidth;
  readonly tensorCount: number;
  readonly keyCount: number;
}

async function readFront(cursor: HeaderCursor): Promise<Front> {
  await cursor.need(8);
  const magic = cursor.bytes(4);
  if (String.fromCharCode(...magic) !== "GGUF")
    throw cursor.fault("it is not a GGUF file: it does not start with GGUF");
  const version = readVersion(cursor);
  if (version < 1 || version > 3) throw cursor.fault(`GGUF version ${version} is not supported (supported: 1 to 3)`);
  const width = version === 1 ? 4 : 8;
  await cursor.need(2 * width);
  const [tensorCount, keyCount] = width === 4 ? [cursor.u32(), cursor.u32()] : [cursor.u64(), cursor.u64()];
  checkCount(cursor, { what: "tensors", count: tensorCount, most: maxTensors, least: width + 16 });
  checkCount(cursor, { what: "keys", count: keyCount, most: maxKeys, least: width + 6 });
  return { version, width, tensorCount, keyCount };
}

/** Nothing in the file names its byte order, but no version has its low half empty. */
function readVersion(cursor: HeaderCursor): number {
  const [a = 0, b = 0, c = 0, d = 0] = cursor.bytes(4);
  cursor.isLittle = a !== 0 || b !== 0;
  return cursor.isLittle ? a + b * 0x100 + c * 0x1_0000 + d * 0x100_0000 : c * 0x100 + d;
}

interface Count {
  readonly what: string;
  readonly count: number;
  readonly most: number;
  /** The fewest bytes that one of them takes. */
  readonly least: number;
}

function checkCount(cursor: HeaderCursor, { what, count, most, least }: Count): void {
  if (count > most) throw cursor.fault(`it declares ${count} ${what} (maximum: ${most})`);
  if (count * least > cursor.left) throw cursor.fault(`it declares ${count} ${what} but is too short for them`);
}

interface Metadata {
  readonly metadata: Record<string, MetadataValue>;
  readonly warnings: readonly string[];
  readonly endsBefore?: string;
}

async function readMetadata(cursor: HeaderCursor, front: Front, options: GgufOptions): Promise<Metadata> {
  const metadata: Record<string, MetadataValue> = {};
  const warnings: string[] = [];
  const valueOptions = {
    width: front.width,
    keepArray: options.keepArray ?? (() => false),
    endBefore: () => options.depth === "facts" && hasFacts(metadata),
  };
  for (let i = 0; i < front.keyCount; i++) {
    const key = await readKey(cursor, front.width);
    const value = await readValue(cursor, key, valueOptions);
    if (value === ended) return { metadata, warnings, endsBefore: key };
    if (!Object.hasOwn(metadata, key)) setOwn(metadata, key, value);
    else if (warnings.length < maxWarnings) warnings.push(`duplicate key ${key.slice(0, 80)}; the first value is used`);
  }
  return { metadata, warnings };
}

/** What a status shows has been seen; writers put it before the vocabulary. */
function hasFacts(metadata: Readonly<Record<string, MetadataValue>>): boolean {
  const architecture = metadata["general.architecture"];
  return ["block_count", "context_length", "embedding_length"].every((word) =>
    Object.hasOwn(metadata, `${architecture}.${word}`),
  );
}

function alignmentOf(cursor: HeaderCursor, metadata: Readonly<Record<string, MetadataValue>>): number {
  const alignment = metadata["general.alignment"] ?? defaultAlignment;
  const isGood =
    typeof alignment === "number" &&
    Number.isInteger(Math.log2(alignment)) &&
    alignment >= 8 &&
    alignment <= largestAlignment;
  if (!isGood)
    throw cursor.fault(`its alignment is ${JSON.stringify(alignment)} (expected a power of two, at least 8)`);
  return alignment;
}

function checkExtent(cursor: HeaderCursor, { extent }: TensorSection, alignment: number): void {
  const padding = (alignment - (cursor.position % alignment)) % alignment;
  if (extent > 0 && padding + extent > cursor.left) {
    const missing = padding + extent - cursor.left;
    throw cursor.fault(`it is truncated: ${missing} bytes are missing; download it again`);
  }
}
