import type { RepositoryFile } from "@trivium/domain";

/** Names of files that hold weights; others with the same endings are states of a trainer or parts that only help to load. */
const weightFiles = /\.(?:safetensors|gguf)$|(?:^|\/)(?:pytorch_model|consolidated|model)[^/]*\.(?:bin|pth|pt)$/i;
const helpers = /(?:^|\/)(?:mmproj|adapter_|imatrix)[^/]*$/i;
const shard = /-\d{5}-of-\d{5}(?=\.[^.]+$)/;

/**
 * How large the weights of a repository are at least, by its list of files. Of copies beside each other (other formats, other
 * quantizations) the smallest counts: no server can load less. Nothing where no file has weights, or one has no size.
 */
export function sizeListedWeights(files: readonly RepositoryFile[]): number | undefined {
  const weights = files.filter(({ path }) => weightFiles.test(path) && !helpers.test(path));
  if (weights.length === 0 || weights.some(({ bytes }) => bytes === undefined)) return undefined;
  const copies = new Map<string, number>();
  for (const { path, bytes = 0 } of weights) {
    const name = path.replace(shard, "");
    copies.set(name, (copies.get(name) ?? 0) + bytes);
  }
  const isPipeline = files.some(({ path }) => path === "model_index.json");
  return isPipeline ? sumOfParts(copies) : Math.min(...copies.values());
}

/** A pipeline loads all of its parts, each from a folder of its own. */
function sumOfParts(copies: ReadonlyMap<string, number>): number {
  const parts = new Map<string, number>();
  for (const [name, bytes] of copies) {
    const folder = name.slice(0, Math.max(0, name.lastIndexOf("/")));
    if (folder !== "" || copies.size === 1) parts.set(folder, Math.min(parts.get(folder) ?? bytes, bytes));
  }
  const sum = [...parts.values()].reduce((all, bytes) => all + bytes, 0);
  return sum === 0 ? Math.min(...copies.values()) : sum;
}
