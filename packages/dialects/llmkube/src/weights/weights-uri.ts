import { formatFileUri, formatHubUri } from "@trivium/std";
import type { Model } from "../kinds/model.ts";
import { type FileSet, planFileSet } from "./file-set.ts";
import { type Source, sourceOf } from "./source.ts";

/** What `trivium-weights` is told to fetch for a Model. */
export interface WeightsRequest {
  readonly uri: string;
  /** Files of a repository; all of them when empty. */
  readonly include: readonly string[];
}

export function weightsRequest({ spec }: Model, files: FileSet = planFileSet(spec)): WeightsRequest {
  const source = sourceOf(spec);
  if (source.is === "local") return { uri: formatFileUri(hostPathOf(source)), include: [] };
  if (source.is === "bucket") return { uri: source.uri, include: files.is === "staged" ? files.files : [] };
  if (source.is !== "repository") return { uri: source.is === "remote" ? source.uri : spec.source, include: [] };
  return {
    uri: formatHubUri({ repo: source.repository, revision: source.revision }),
    include: files.is === "staged" ? files.files : [],
  };
}

/** Where a file of the node is mounted in the pod that copies it. */
export const hostPathOf = ({ path }: Extract<Source, { is: "local" }>): string =>
  `/host-model/${path.split("/").at(-1)}`;
