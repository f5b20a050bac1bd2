import type { SafetensorsHeader } from "@trivium/domain";
import type { ByteSource } from "./byte-source.ts";
import { invalidFile } from "./invalid-file.ts";
import { type ParsedHeader, parseSafetensorsHeader } from "./safetensors-header.ts";
import { TensorTally } from "./tensor-tally.ts";

/** As the format's own library has it. */
const maxHeaderBytes = 100_000_000;
const prefix = 8;

/** Reads the header of one safetensors file with every tensor in it: one read where it is short, two where it is not. */
export async function readSafetensorsFile(source: ByteSource): Promise<ParsedHeader> {
  const first = await source.read(0, Math.max(prefix, source.steps[0] ?? 0));
  if (first.length < prefix) throw invalidFile(source.shownAs, "it is not a safetensors file: it is too short");
  const view = new DataView(first.buffer, first.byteOffset, first.length);
  const length = view.getUint32(4, true) * 0x1_0000_0000 + view.getUint32(0, true);
  if (length > maxHeaderBytes)
    throw invalidFile(
      source.shownAs,
      `it is not a safetensors file, or its header is longer than ${maxHeaderBytes} bytes`,
    );
  const { size } = source;
  if (size !== undefined && prefix + length > size)
    throw invalidFile(source.shownAs, "it is truncated inside its header");
  const header = await completed(source, first, length);
  return parseSafetensorsHeader(header, size === undefined ? undefined : size - prefix - length, source.shownAs);
}

async function completed(source: ByteSource, first: Uint8Array, length: number): Promise<Uint8Array> {
  const end = prefix + length;
  if (first.length >= end) return first.subarray(prefix, end);
  const rest = await source.read(first.length, end - first.length);
  if (first.length + rest.length < end) throw invalidFile(source.shownAs, "it is truncated inside its header");
  return Buffer.concat([first.subarray(prefix), rest]);
}

/** Adds up the files of one model. A tensor belongs to one file. */
export class SafetensorsModel {
  readonly #tally = new TensorTally();
  readonly #names = new Set<string>();
  readonly #warnings = new Set<string>();
  #metadata: Readonly<Record<string, string>> = {};
  #files = 0;

  get names(): ReadonlySet<string> {
    return this.#names;
  }

  add({ tensors, metadata, warnings }: ParsedHeader, shownAs: string): void {
    for (const { name, type, elements, start, end } of tensors) {
      if (this.#names.has(name)) throw invalidFile(shownAs, `tensor ${name.slice(0, 80)} is also in another file`);
      this.#names.add(name);
      this.#tally.add({ name, type, elements, bytes: end - start });
    }
    for (const warning of warnings) this.#warnings.add(warning);
    if (this.#files === 0) this.#metadata = metadata;
    this.#files++;
  }

  header(): SafetensorsHeader {
    return {
      format: "safetensors",
      files: this.#files,
      tensors: this.#tally.totals(),
      metadata: this.#metadata,
      warnings: [...this.#warnings],
    };
  }
}

export async function readSafetensors(source: ByteSource): Promise<SafetensorsHeader> {
  const model = new SafetensorsModel();
  model.add(await readSafetensorsFile(source), source.shownAs);
  return model.header();
}
