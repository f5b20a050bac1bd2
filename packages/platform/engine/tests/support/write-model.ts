/** Writes small GGUF files: a model or an adapter with weights that a formula gives. */

export type Field = string | boolean | Float | Whole | readonly string[] | readonly Whole[];
export interface Float {
  readonly float: number;
}
export interface Whole {
  readonly whole: number;
}
export const float = (value: number): Float => ({ float: value });
export const whole = (value: number): Whole => ({ whole: value });

export interface Tensor {
  readonly name: string;
  readonly shape: readonly number[];
  readonly values: (at: number) => number;
}

const types = { whole: 4, signed: 5, float: 6, bool: 7, text: 8, list: 9 } as const;
const alignment = 32;

export function writeModel(fields: Readonly<Record<string, Field>>, tensors: readonly Tensor[]): Buffer {
  const keys = Object.entries(fields).map(([key, value]) => Buffer.concat([text(key), encode(value)]));
  let offset = 0;
  const heads = tensors.map(({ name, shape }) => {
    const head = Buffer.concat([text(name), u32(shape.length), ...shape.map(u64), u32(0), u64(offset)]);
    offset += padded(elementsOf(shape) * 4);
    return head;
  });
  const start = [Buffer.from("GGUF"), u32(3), u64(tensors.length), u64(keys.length), ...keys, ...heads];
  return Buffer.concat([fill(Buffer.concat(start)), ...tensors.map(({ shape, values }) => fill(data(shape, values)))]);
}

function encode(value: Field): Buffer {
  if (typeof value === "string") return Buffer.concat([u32(types.text), text(value)]);
  if (typeof value === "boolean") return Buffer.concat([u32(types.bool), Buffer.of(value ? 1 : 0)]);
  if ("float" in value) return Buffer.concat([u32(types.float), data([1], () => value.float)]);
  if ("whole" in value) return Buffer.concat([u32(types.whole), u32(value.whole)]);
  const items = value.map((item) => (typeof item === "string" ? text(item) : u32(item.whole)));
  const type = typeof value[0] === "string" ? types.text : types.signed;
  return Buffer.concat([u32(types.list), u32(type), u64(value.length), ...items]);
}

const elementsOf = (shape: readonly number[]): number => shape.reduce((product, one) => product * one, 1);
const padded = (bytes: number): number => Math.ceil(bytes / alignment) * alignment;
const fill = (bytes: Buffer): Buffer => Buffer.concat([bytes, Buffer.alloc(padded(bytes.length) - bytes.length)]);

function data(shape: readonly number[], values: (at: number) => number): Buffer {
  return Buffer.from(Float32Array.from({ length: elementsOf(shape) }, (_, at) => values(at)).buffer);
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function u64(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
}

const text = (value: string): Buffer => Buffer.concat([u64(Buffer.byteLength(value)), Buffer.from(value)]);
