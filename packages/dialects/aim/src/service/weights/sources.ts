import type { ModelSources } from "../../kinds/model-sources.ts";
import { sanitizeName } from "../../names.ts";
import type { ObservedTemplate } from "../observed/observed-service.ts";

export type WeightsSource = ModelSources[number];

/** What a template says it needs; what its status says is what was found out. */
export const sourcesOf = ({ spec, status }: ObservedTemplate): ModelSources =>
  status?.modelSources ?? spec.modelSources ?? [];

/** `organisation/name` of weights; where nobody says it, their address without its scheme. */
export const modelIdOf = ({ modelId, name, sourceUri }: WeightsSource): string =>
  modelId || name || sourceUri.replace(/^[a-z0-9]+:\/\//, "");

/** Where a container sees weights, below the root; never above it, whatever an id says. */
export function folderOf(root: string, modelId: string): string {
  const parts = modelId.split("/").filter((part) => !["", ".", ".."].includes(part));
  return [root, ...parts].join("/");
}

export const volumeNameOf = (cache: string): string => sanitizeName(cache.replaceAll(".", "-")) || "weights";
