import { closeSync, fstatSync, openSync, readSync } from "node:fs";

/** Why a file cannot be a model, in words for the person who passed it. */
export class ModelFileError extends Error {}

export interface GgufHeader {
  readonly architecture: string;
  readonly bytes: number;
  /** Plain values by key; of an array only its length. */
  readonly values: ReadonlyMap<string, string | number | boolean>;
  /** It has the tensors that tell how well a text answers another. */
  readonly ranks?: boolean;
}

// Bytes of a value by its type number; strings (8) and arrays (9) have lengths of their own.
const scalarBytes: Readonly<Record<number, number>> = {
  0: 1,
  1: 1,
  2: 2,
  3: 2,
  4: 4,
  5: 4,
  6: 4,
  7: 1,
  10: 8,
  11: 8,
  12: 8,
};

// Elements and bytes of a block by tensor type; a type that is not here is only checked for its start.
const blocks: Readonly<Record<number, readonly [number, number]>> = {
  0: [1, 4],
  1: [1, 2],
  2: [32, 18],
  3: [32, 20],
  6: [32, 22],
  7: [32, 24],
  8: [32, 34],
  10: [256, 84],
  11: [256, 110],
  12: [256, 144],
  13: [256, 176],
  14: [256, 210],
  30: [1, 2],
};

/**
 * Reads the head of a model file and checks that all its tensors are inside. The native loader would find the same, but some
 * broken files it answers by ending the process, and its words are for developers.
 */
export function readGgufHeader(path: string): GgufHeader {
  const file = openModel(path);
  try {
    return readHeader(new Reader(file, fstatSync(file).size), path);
  } finally {
    closeSync(file);
  }
}

function openModel(path: string): number {
  let file: number;
  try {
    file = openSync(path, "r");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") throw new ModelFileError(`cannot load model ${path}: file not found`);
    throw new ModelFileError(`cannot load model ${path}: cannot open the file (${code})`);
  }
  if (fstatSync(file).isFile()) return file;
  closeSync(file);
  throw new ModelFileError(`cannot load model ${path}: it is not a file; pass the .gguf file itself`);
}

function readHeader(reader: Reader, path: string): GgufHeader {
  const fail = (why: string): never => {
    throw new ModelFileError(`cannot load model ${path}: ${why}`);
  };
  if (reader.size < 24) fail(`it is not a GGUF file: only ${reader.size} bytes long`);
  const magic = reader.take(4).toString("latin1");
  if (magic !== "GGUF") fail(`it is not a GGUF file: it starts with ${JSON.stringify(magic)}`);
  const version = reader.u32();
  if (version < 2 || version > 3) fail(`GGUF version ${version} is not supported (supported: 2 and 3)`);
  try {
    const tensors = reader.count();
    const values = readValues(reader, reader.count());
    const ranks = checkTensors(reader, tensors, Number(values.get("general.alignment") ?? 32));
    const architecture = values.get("general.architecture");
    if (typeof architecture !== "string") return fail("its header contains no architecture");
    return { architecture, bytes: reader.size, values, ranks };
  } catch (error) {
    if (error instanceof Truncated)
      fail(`the file is truncated: ${error.message}; it has ${reader.size} bytes; download it again`);
    throw error;
  }
}

class Truncated extends Error {}

function readValues(reader: Reader, count: number): Map<string, string | number | boolean> {
  const values = new Map<string, string | number | boolean>();
  for (let i = 0; i < count; i++) {
    const key = reader.text();
    values.set(key, readValue(reader, reader.u32()));
  }
  return values;
}

function readValue(reader: Reader, type: number): string | number | boolean {
  if (type === 8) return reader.text();
  if (type === 9) return skipArray(reader);
  const bytes = reader.take(scalarBytes[type] ?? reader.unknown(`a value of type ${type}`));
  switch (type) {
    case 0:
      return bytes.readUInt8();
    case 1:
      return bytes.readInt8();
    case 2:
      return bytes.readUInt16LE();
    case 3:
      return bytes.readInt16LE();
    case 4:
      return bytes.readUInt32LE();
    case 5:
      return bytes.readInt32LE();
    case 6:
      return bytes.readFloatLE();
    case 7:
      return bytes.readUInt8() !== 0;
    case 10:
      return Number(bytes.readBigUInt64LE());
    case 11:
      return Number(bytes.readBigInt64LE());
    default:
      return bytes.readDoubleLE();
  }
}

function skipArray(reader: Reader): number {
  const type = reader.u32();
  const length = reader.count();
  if (type === 8) for (let i = 0; i < length; i++) reader.skip(reader.count());
  else reader.skip(length * (scalarBytes[type] ?? reader.unknown(`an array of type ${type}`)));
  return length;
}

/** Tells whether there is a ranking head among them. */
function checkTensors(reader: Reader, count: number, alignment: number): boolean {
  let end = 0;
  let ranks = false;
  for (let i = 0; i < count; i++) {
    ranks = reader.text().startsWith("cls.") || ranks;
    const dimensions = reader.u32();
    let elements = 1;
    for (let d = 0; d < dimensions; d++) elements *= reader.count();
    const [perBlock, bytes] = blocks[reader.u32()] ?? [1, 0];
    end = Math.max(end, reader.count() + Math.ceil(elements / perBlock) * bytes);
  }
  const start = Math.ceil(reader.position / alignment) * alignment;
  if (start + end > reader.size) throw new Truncated(`its header declares ${start + end} bytes`);
  return ranks;
}

/** Reads forward in large steps; every length is checked against the file before it is believed. */
class Reader {
  position = 0;
  readonly size: number;
  readonly #file: number;
  #buffer: Buffer = Buffer.alloc(0);
  #start = 0;

  constructor(file: number, size: number) {
    this.#file = file;
    this.size = size;
  }

  take(length: number): Buffer {
    if (this.position + length > this.size) throw new Truncated("it ends inside its header");
    if (this.position < this.#start || this.position + length > this.#start + this.#buffer.length) this.#fill(length);
    const from = this.position - this.#start;
    this.position += length;
    return this.#buffer.subarray(from, from + length);
  }

  skip(length: number): void {
    if (this.position + length > this.size) throw new Truncated("it ends inside its header");
    this.position += length;
  }

  u32(): number {
    return this.take(4).readUInt32LE();
  }

  count(): number {
    const value = this.take(8).readBigUInt64LE();
    if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw new Truncated("it contains an invalid length");
    return Number(value);
  }

  text(): string {
    return this.take(this.count()).toString("utf8");
  }

  unknown(what: string): never {
    throw new Truncated(`its header contains ${what}`);
  }

  #fill(length: number): void {
    const bytes = Math.min(Math.max(length, 256 * 1024), this.size - this.position);
    this.#buffer = Buffer.allocUnsafe(bytes);
    this.#start = this.position;
    for (let read = 0; read < bytes; ) {
      const got = readSync(this.#file, this.#buffer, read, bytes - read, this.position + read);
      if (got === 0) throw new Truncated("it became shorter while it was being read");
      read += got;
    }
  }
}
