import { ggmlTypes, type TensorTotals } from "@trivium/domain";
import { type LengthWidth, readLength } from "./gguf-metadata.ts";
import type { HeaderCursor } from "./header-cursor.ts";
import { TensorTally } from "./tensor-tally.ts";

/** One tensor as the file describes it. */
export interface GgufTensor {
  readonly name: string;
  /** Fastest dimension first. */
  readonly dimensions: readonly number[];
  readonly type: string;
  readonly bytes: number;
  /** From the start of the tensor section. */
  readonly offset: number;
}

export interface TensorSection {
  readonly totals: TensorTotals;
  /** Where the last tensor ends, from the start of the section. */
  readonly extent: number;
  readonly warnings: readonly string[];
}

export interface TensorOptions {
  readonly count: number;
  readonly width: LengthWidth;
  readonly alignment: number;
  readonly onTensor: (tensor: GgufTensor) => void;
}

const longestName = 64;
const maxDimensions = 4;
const decoder = new TextDecoder();

/** Reads the descriptions of all tensors; they must be told apart, aligned, and not lie on each other. */
export async function readTensors(cursor: HeaderCursor, options: TensorOptions): Promise<TensorSection> {
  const tally = new TensorTally();
  const names = new Set<string>();
  const stretches = new Stretches();
  const unknown = new Set<number>();
  for (let i = 0; i < options.count; i++) {
    // What is left of the section is guessed from the names that models use.
    if (!cursor.has(options.width)) await cursor.need(options.width, (options.count - i) * 64);
    const { tensor, isSized, typeNumber } = await readTensor(cursor, options);
    if (names.has(tensor.name)) throw cursor.fault(`it has two tensors named ${JSON.stringify(tensor.name)}`);
    names.add(tensor.name);
    if (!isSized && unknown.size < 8) unknown.add(typeNumber);
    stretches.add(tensor.offset, tensor.offset + tensor.bytes);
    const elements = tensor.dimensions.reduce((product, each) => product * each, 1);
    tally.add({ name: tensor.name, type: tensor.type, elements, bytes: tensor.bytes });
    options.onTensor(tensor);
  }
  if (stretches.overlap()) throw cursor.fault("two of its tensors overlap");
  const warnings = [...unknown].map((number) => `tensors of the unknown type ${number} are not included in the size`);
  return { totals: tally.totals(), extent: stretches.end, warnings };
}

async function readTensor(
  cursor: HeaderCursor,
  { width, alignment }: TensorOptions,
): Promise<{ tensor: GgufTensor; isSized: boolean; typeNumber: number }> {
  const length = await readLength(cursor, width);
  if (length > longestName) throw cursor.fault(`the name of a tensor has ${length} bytes (maximum: ${longestName})`);
  if (!cursor.has(length + 4)) await cursor.need(length + 4);
  const name = decoder.decode(cursor.bytes(length));
  const rank = cursor.u32();
  if (rank > maxDimensions) throw cursor.fault(`tensor ${name} has ${rank} dimensions (maximum: ${maxDimensions})`);
  const rest = rank * width + 12;
  if (!cursor.has(rest)) await cursor.need(rest);
  const dimensions = Array.from({ length: rank }, () => (width === 4 ? cursor.u32() : cursor.u64()));
  const typeNumber = cursor.u32();
  const offset = cursor.u64();
  if (!Number.isSafeInteger(offset) || offset % alignment !== 0)
    throw cursor.fault(`tensor ${name} starts at ${offset}, which is not a multiple of ${alignment}`);
  const known = ggmlTypes.get(typeNumber);
  const bytes = bytesOf(cursor, { name, dimensions, values: known?.values ?? 1, perBlock: known?.bytes ?? 0 });
  const type = known?.name ?? `type ${typeNumber}`;
  return { tensor: { name, dimensions, type, bytes, offset }, isSized: known !== undefined, typeNumber };
}

interface Measures {
  readonly name: string;
  readonly dimensions: readonly number[];
  readonly values: number;
  readonly perBlock: number;
}

function bytesOf(cursor: HeaderCursor, { name, dimensions, values, perBlock }: Measures): number {
  let elements = 1;
  for (const dimension of dimensions) {
    elements *= dimension;
    if (!Number.isSafeInteger(dimension) || !Number.isSafeInteger(elements))
      throw cursor.fault(`tensor ${name} has an invalid size`);
  }
  if ((dimensions[0] ?? 1) % values !== 0)
    throw cursor.fault(`rows of tensor ${name} have ${dimensions[0]} values, which is not a multiple of ${values}`);
  const bytes = (elements / values) * perBlock;
  if (!Number.isSafeInteger(bytes)) throw cursor.fault(`tensor ${name} has an invalid size`);
  return bytes;
}

/** Where tensors lie. Writers put them in order, so sorting is the exception. */
class Stretches {
  end = 0;
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];
  #isSorted = true;

  add(start: number, end: number): void {
    if (start < this.end) this.#isSorted = false;
    this.end = Math.max(this.end, end);
    this.#starts.push(start);
    this.#ends.push(end);
  }

  overlap(): boolean {
    if (this.#isSorted) return false;
    const starts = this.#starts;
    const order = starts.map((_, at) => at).sort((a, b) => (starts[a] ?? 0) - (starts[b] ?? 0));
    let last = 0;
    for (const at of order) {
      const [start = 0, end = 0] = [starts[at], this.#ends[at]];
      if (start < last && end > start) return true;
      last = Math.max(last, end);
    }
    return false;
  }
}
