import { safetensorsTypes } from "@trivium/domain";
import { isObject, type Json, type JsonObject } from "@trivium/std";
import { invalidFile } from "./invalid-file.ts";

/** One tensor as the header describes it; its bytes are `[start, end)` of what follows the header. */
export interface SafetensorsTensor {
  readonly name: string;
  readonly type: string;
  readonly shape: readonly number[];
  readonly elements: number;
  readonly start: number;
  readonly end: number;
}

export interface ParsedHeader {
  readonly tensors: readonly SafetensorsTensor[];
  readonly metadata: Readonly<Record<string, string>>;
  readonly warnings: readonly string[];
}

const maxTensors = 1_000_000;
const maxDimensions = 32;
/** `{"name":{"shape":[1]}}`: nothing in a header lies deeper. */
const deepest = 3;
const decoder = new TextDecoder("utf-8", { fatal: true });

/** Reads a header's text. `dataBytes` is what follows it in the file, which the tensors must fill without holes or overlaps. */
export function parseSafetensorsHeader(
  bytes: Uint8Array,
  dataBytes: number | undefined,
  shownAs: string,
): ParsedHeader {
  const header = parseText(bytes, shownAs);
  const tensors: SafetensorsTensor[] = [];
  const unknown = new Set<string>();
  for (const [name, value] of Object.entries(header)) {
    if (name === "__metadata__") continue;
    if (tensors.length === maxTensors) throw invalidFile(shownAs, `it has more than ${maxTensors} tensors`);
    const tensor = parseTensor(name, value, shownAs);
    if (!safetensorsTypes.has(tensor.type) && unknown.size < 8) unknown.add(tensor.type);
    tensors.push(tensor);
  }
  checkLayout(tensors, dataBytes, shownAs);
  const warnings = [...unknown].map((type) => `tensors of the unknown type ${type} are counted by their stored size`);
  return { tensors, metadata: metadataOf(header.__metadata__), warnings };
}

function parseText(bytes: Uint8Array, shownAs: string): JsonObject {
  if (bytes[0] !== 0x7b) throw invalidFile(shownAs, "it is not a safetensors file: its header does not start with {");
  const members = countMembers(bytes, shownAs);
  let value: Json;
  try {
    value = JSON.parse(decoder.decode(bytes)) as Json;
  } catch (cause) {
    throw invalidFile(
      shownAs,
      `its header is not JSON: ${cause instanceof Error ? cause.message.slice(0, 80) : "unreadable"}`,
    );
  }
  if (!isObject(value)) throw invalidFile(shownAs, "its header is not a JSON object");
  // JSON keeps the last of two members of one name; two readers that keep different ones see different models.
  if (membersOf(value) !== members) throw invalidFile(shownAs, "its header contains a duplicate name");
  return value;
}

/** Colons outside of texts: one for each member of each object. Refuses depths that no header has before anything is built. */
function countMembers(bytes: Uint8Array, shownAs: string): number {
  let members = 0;
  let depth = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === 0x22) at = endOfText(bytes, at);
    else if (byte === 0x3a) members++;
    else if (byte === 0x7b || byte === 0x5b) depth++;
    else if (byte === 0x7d || byte === 0x5d) depth--;
    if (depth > deepest) throw invalidFile(shownAs, `its header is nested deeper than ${deepest}`);
  }
  return members;
}

function endOfText(bytes: Uint8Array, start: number): number {
  for (let at = start + 1; at < bytes.length; at++) {
    if (bytes[at] === 0x5c) at++;
    else if (bytes[at] === 0x22) return at;
  }
  return bytes.length;
}

function membersOf(value: Json): number {
  if (Array.isArray(value)) return value.reduce((sum: number, each) => sum + membersOf(each), 0);
  if (!isObject(value)) return 0;
  let sum = 0;
  for (const key of Object.keys(value)) sum += 1 + membersOf(value[key] ?? null);
  return sum;
}

function parseTensor(name: string, value: Json, shownAs: string): SafetensorsTensor {
  const fault = (why: string) => invalidFile(shownAs, `tensor ${JSON.stringify(name.slice(0, 80))}: ${why}`);
  if (!isObject(value)) throw fault("its description is missing");
  const { dtype: type, shape, data_offsets: offsets } = value;
  if (typeof type !== "string" || type.length > 32) throw fault("it has no type");
  if (!isNumbers(shape) || shape.length > maxDimensions) throw fault("its shape is not a list of sizes");
  if (!isNumbers(offsets) || offsets.length !== 2) throw fault("data_offsets is not a pair of offsets");
  const [start = 0, end = 0] = offsets;
  const elements = shape.reduce((product, each) => product * each, 1);
  if (end < start || !Number.isSafeInteger(elements)) throw fault("it has an invalid size or ends before it starts");
  const known = safetensorsTypes.get(type);
  if (known !== undefined && (elements * known.bytes) / known.values !== end - start)
    throw fault(`${shape.join("×") || "one"} of ${type} do not have ${end - start} bytes`);
  return { name, type, shape, elements, start, end };
}

function isNumbers(value: Json | undefined): value is number[] {
  return Array.isArray(value) && value.every((each) => Number.isSafeInteger(each) && (each as number) >= 0);
}

function checkLayout(tensors: readonly SafetensorsTensor[], dataBytes: number | undefined, shownAs: string): void {
  const inOrder = [...tensors].sort((a, b) => a.start - b.start || a.end - b.end);
  let last = 0;
  for (const { name, start, end } of inOrder) {
    if (start !== last)
      throw invalidFile(shownAs, `${start < last ? "an overlap" : "a gap"} before tensor ${name.slice(0, 80)}`);
    last = end;
  }
  if (dataBytes === undefined || dataBytes === last) return;
  const what = dataBytes < last ? "it is truncated" : "it is longer than its header declares";
  throw invalidFile(shownAs, `${what}: tensors need ${last} bytes but ${dataBytes} follow the header`);
}

function metadataOf(value: Json | undefined): Record<string, string> {
  if (!isObject(value)) return {};
  const entries = Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === "string");
  return Object.fromEntries(entries.slice(0, 256).map(([key, text]) => [key.slice(0, 256), text.slice(0, 1024)]));
}
