import type { GgufHeader } from "@trivium/domain";
import type { ByteSource } from "./byte-source.ts";
import { type GgufOptions, readGguf } from "./gguf.ts";
import { invalidFile } from "./invalid-file.ts";
import { TensorTally } from "./tensor-tally.ts";

const splitName = /^(.*)-(\d{5})-of-(\d{5})\.gguf$/i;
const maxSplits = 1024;

/** The names of all parts of a split model, first part first, if this is the name of one. */
export function splitsOf(path: string): readonly string[] | undefined {
  const [, prefix, number, total] = splitName.exec(path) ?? [];
  const count = Number(total);
  if (prefix === undefined || count < 1 || count > maxSplits || Number(number) < 1 || Number(number) > count)
    return undefined;
  const ending = path.slice(path.length - ".gguf".length);
  return Array.from({ length: count }, (_, at) => `${prefix}-${String(at + 1).padStart(5, "0")}-of-${total}${ending}`);
}

/** Reads the headers of all parts of a split model as one. The first part carries the metadata, each part its own tensors. */
export async function readSplitGguf(parts: readonly ByteSource[], options: GgufOptions = {}): Promise<GgufHeader> {
  const [firstSource, ...others] = parts;
  if (firstSource === undefined) throw invalidFile("a split model", "it has no parts");
  const first = await readGguf(firstSource, options);
  checkPart(firstSource, first, { number: 0, count: parts.length });
  if (first.tensors === undefined) return { ...first, files: parts.length, tensorCount: totalOf(first) };
  const tally = new TensorTally();
  tally.addTotals(first.tensors);
  const warnings = [...first.warnings];
  for (const [at, source] of others.entries()) {
    const part = await readGguf(source, { ...options, depth: "whole" });
    checkPart(source, part, { number: at + 1, count: parts.length });
    if (part.tensors !== undefined) tally.addTotals(part.tensors);
    warnings.push(...part.warnings);
  }
  const tensors = tally.totals();
  const expected = first.metadata["split.tensors.count"];
  if (typeof expected === "number" && expected !== tensors.count)
    throw invalidFile(firstSource.shownAs, `its parts contain ${tensors.count} tensors (expected ${expected})`);
  return { ...first, files: parts.length, tensors, tensorCount: tensors.count, warnings };
}

function checkPart(source: ByteSource, header: GgufHeader, expected: { number: number; count: number }): void {
  const count = header.metadata["split.count"] ?? 1;
  const number = header.metadata["split.no"] ?? 0;
  if (count === expected.count && number === expected.number) return;
  const message = `it is part ${Number(number) + 1} of ${count} (expected ${expected.number + 1} of ${expected.count})`;
  throw invalidFile(source.shownAs, message);
}

function totalOf(first: GgufHeader): number {
  const total = first.metadata["split.tensors.count"];
  return typeof total === "number" ? total : first.tensorCount;
}
