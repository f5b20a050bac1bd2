import type { SafetensorsHeader } from "@trivium/domain";
import { faultOfRelativePath, isObject, type Json } from "@trivium/std";
import type { ByteSource } from "./byte-source.ts";
import { invalidFile } from "./invalid-file.ts";
import { readSafetensorsFile, SafetensorsModel } from "./safetensors.ts";

/** Which file each tensor of a sharded model lies in. */
export interface ShardIndex {
  readonly shownAs: string;
  readonly files: readonly string[];
  readonly fileOf: ReadonlyMap<string, string>;
}

const maxShards = 2048;
const shardsAtOnce = 4;

/** Reads `model.safetensors.index.json`. Its file names become paths, so they are checked as such. */
export function parseShardIndex(text: string, shownAs: string): ShardIndex {
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch (cause) {
    throw invalidFile(shownAs, `it is not JSON: ${cause instanceof Error ? cause.message.slice(0, 80) : "unreadable"}`);
  }
  const map = isObject(value) ? value.weight_map : undefined;
  if (!isObject(map)) throw invalidFile(shownAs, "it has no weight_map, so the files of the tensors are unknown");
  const fileOf = new Map<string, string>();
  const files = new Set<string>();
  for (const [tensor, file] of Object.entries(map)) {
    if (typeof file !== "string" || faultOfRelativePath(file) !== undefined)
      throw invalidFile(shownAs, `tensor ${tensor.slice(0, 80)} is in a file with an unsafe name`);
    fileOf.set(tensor, file);
    files.add(file);
    if (files.size > maxShards) throw invalidFile(shownAs, `it lists more than ${maxShards} files`);
  }
  return { shownAs, files: [...files].sort(), fileOf };
}

/** Reads the headers of all files that an index names; what the index says must be there. */
export async function readShardedSafetensors(
  index: ShardIndex,
  openFile: (name: string) => Promise<ByteSource>,
): Promise<SafetensorsHeader> {
  const model = new SafetensorsModel();
  for (let at = 0; at < index.files.length; at += shardsAtOnce) {
    const names = index.files.slice(at, at + shardsAtOnce);
    const read = await Promise.all(names.map(async (name) => ({ name, ...(await readShard(await openFile(name))) })));
    for (const { name, header, shownAs } of read) {
      for (const tensor of header.tensors) {
        const place = index.fileOf.get(tensor.name);
        if (place === undefined || place === name) continue;
        throw invalidFile(
          index.shownAs,
          `it lists tensor ${tensor.name.slice(0, 80)} in ${place}, but ${name} contains it`,
        );
      }
      model.add(header, shownAs);
    }
  }
  for (const name of index.fileOf.keys()) {
    if (!model.names.has(name))
      throw invalidFile(index.shownAs, `tensor ${name.slice(0, 80)} not found in its ${index.files.length} files`);
  }
  return model.header();
}

async function readShard(source: ByteSource) {
  try {
    return { header: await readSafetensorsFile(source), shownAs: source.shownAs };
  } finally {
    await source.close();
  }
}
