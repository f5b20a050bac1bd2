import type { ModelHeader } from "@trivium/domain";
import { isObject, type JsonObject } from "@trivium/std";
import { WeightsError } from "../fault.ts";
import type { RemoteFile } from "../transfer/remote-file.ts";
import { type GgufOptions, readGguf } from "./gguf.ts";
import { readSplitGguf, splitsOf } from "./gguf-split.ts";
import { invalidFile } from "./invalid-file.ts";
import { openRemoteSource } from "./remote-source.ts";
import { readSafetensors } from "./safetensors.ts";
import { parseShardIndex, readShardedSafetensors } from "./safetensors-index.ts";

/** What the headers of a model's files say, without the files. */
export interface Inspection {
  readonly models: readonly InspectedModel[];
  /** The configuration at the top of the repository, where there is one. */
  readonly config?: JsonObject;
  /** Files that are not what they claim to be, or were left out. */
  readonly problems: readonly string[];
}

export interface InspectedModel {
  /** The file, or the first of several. */
  readonly path: string;
  readonly header: ModelHeader;
}

export interface InspectOptions {
  readonly signal: AbortSignal;
  readonly gguf?: GgufOptions;
}

/** A repository may carry one model in twenty quantizations; nobody waits for all of them. */
const maxModels = 8;
const longestConfig = 16 * 1024 * 1024;
const indexName = /\.safetensors\.index\.json$/;

type Reading = readonly [path: string, read: () => Promise<ModelHeader>];

/** Reads the headers of whatever models a listing has. A file alone that cannot be read is a failure, one of several a problem. */
export async function inspectModel(files: readonly RemoteFile[], options: InspectOptions): Promise<Inspection> {
  const readings = readingsOf(files, options);
  const models: InspectedModel[] = [];
  const problems: string[] = [];
  for (const [path, read] of readings.slice(0, maxModels)) {
    try {
      models.push({ path, header: await read() });
    } catch (error) {
      const isOfFile = error instanceof WeightsError && error.reason === "InvalidModelFile";
      if (!isOfFile || readings.length === 1) throw error;
      problems.push(error.message);
    }
  }
  if (readings.length > maxModels)
    problems.push(`${readings.length - maxModels} more models found; name one, or use --include`);
  const config = await readConfig(files, options.signal);
  return { models, problems, ...(config === undefined ? {} : { config }) };
}

function readingsOf(files: readonly RemoteFile[], options: InspectOptions): Reading[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const indexes = files.filter(({ path }) => indexName.test(path));
  const isSharded = (path: string) => /-\d{5}-of-\d{5}\.safetensors$/.test(path) && indexes.length > 0;
  const readings: Reading[] = indexes.map((index) => [index.path, () => readSharded(index, byPath, options)]);
  for (const file of files) {
    const { path } = file;
    if (path.endsWith(".safetensors") && !isSharded(path)) readings.push([path, () => readOne(file, options)]);
    if (!/\.gguf$/i.test(path)) continue;
    const parts = splitsOf(path);
    if (parts === undefined || parts.length === 1) readings.push([path, () => readOne(file, options)]);
    else if (parts[0] === path) readings.push([path, () => readParts(parts, byPath, options)]);
  }
  return readings;
}

async function readOne(file: RemoteFile, { signal, gguf = {} }: InspectOptions): Promise<ModelHeader> {
  const source = openRemoteSource(file, signal);
  try {
    return await (/\.gguf$/i.test(file.path) ? readGguf(source, gguf) : readSafetensors(source));
  } finally {
    await source.close();
  }
}

async function readParts(
  parts: readonly string[],
  byPath: ReadonlyMap<string, RemoteFile>,
  { signal, gguf = {} }: InspectOptions,
): Promise<ModelHeader> {
  const sources = parts.map((path) => openRemoteSource(found(byPath, path), signal));
  try {
    return await readSplitGguf(sources, gguf);
  } finally {
    await Promise.all(sources.map((source) => source.close()));
  }
}

async function readSharded(
  index: RemoteFile,
  byPath: ReadonlyMap<string, RemoteFile>,
  { signal }: InspectOptions,
): Promise<ModelHeader> {
  const folder = index.path.slice(0, index.path.lastIndexOf("/") + 1);
  const shards = parseShardIndex(await readText(index, signal), index.shownAs);
  return readShardedSafetensors(shards, async (name) => openRemoteSource(found(byPath, folder + name), signal));
}

function found(byPath: ReadonlyMap<string, RemoteFile>, path: string): RemoteFile {
  const file = byPath.get(path);
  if (file === undefined) throw invalidFile(path, "it is part of the model but missing");
  return file;
}

async function readConfig(files: readonly RemoteFile[], signal: AbortSignal): Promise<JsonObject | undefined> {
  const file = ["model_index.json", "config.json"]
    .map((path) => files.find((each) => each.path === path))
    .find(Boolean);
  if (file === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(await readText(file, signal));
    return isObject(value) ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

async function readText(file: RemoteFile, signal: AbortSignal): Promise<string> {
  const source = openRemoteSource(file, signal);
  try {
    const bytes = await source.read(0, longestConfig + 1);
    if (bytes.length > longestConfig) throw invalidFile(file.shownAs, `it is longer than ${longestConfig} bytes`);
    return Buffer.from(bytes).toString("utf8");
  } finally {
    await source.close();
  }
}
