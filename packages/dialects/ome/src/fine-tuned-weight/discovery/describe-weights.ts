import { parseAdapter } from "@trivium/engines";
import type { JsonObject } from "@trivium/std";
import { describeFiles, type FilesRead } from "../../model/discovery/describe-files.ts";
import type { AdapterFound, DiscoveredConfig } from "../../model/weights/node-entry.ts";

/** What the files of tuned weights say that they are: an adapter of PEFT, one of llama.cpp, or a whole checkpoint. */
export function describeWeights(read: FilesRead & { readonly adapter?: JsonObject | undefined }): DiscoveredConfig {
  const adapter = adapterOf(read);
  return { ...(describeFiles(read) ?? {}), ...(adapter === undefined ? {} : { adapter }) };
}

function adapterOf({
  models,
  adapter,
}: FilesRead & { readonly adapter?: JsonObject | undefined }): AdapterFound | undefined {
  const peft = parseAdapter(adapter);
  if (peft !== undefined) {
    const { kind, rank, baseModel } = peft;
    return { kind, ...(rank === undefined ? {} : { rank }), ...(baseModel === undefined ? {} : { baseModel }) };
  }
  const [first] = models;
  if (first?.header.format !== "gguf" || models.length > 1) return undefined;
  const kind = first.header.metadata["adapter.type"];
  // An adapter of llama.cpp is one file, and its engine wants to be told which.
  return { ...(typeof kind === "string" ? { kind } : {}), file: first.path };
}
