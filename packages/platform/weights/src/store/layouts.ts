import { createHash } from "node:crypto";
import { isAbsolute, join, normalize } from "node:path";
import { WeightsError } from "../fault.ts";
import { checkRelativePath } from "../sources/relative-path.ts";

/** What a folder's name is made from. */
export interface LayoutOptions {
  /** The folder that the caller names: a cache's top, or the place itself. */
  readonly at: string;
  /** What the user wrote as the model's source, unchanged. */
  readonly source: string;
  /** `org/name`, where a layout goes by it. */
  readonly modelId?: string;
}

export interface FixedLayout {
  /** What it is and who expects it. */
  readonly about: string;
  directory(request: LayoutOptions): string;
}

/**
 * Where programs of others look for a model. Each is a view of the same blobs, so that one download serves all of them.
 */
export const fixedLayouts = {
  plain: {
    about: "the folder itself",
    directory: ({ at }) => at,
  },
  llmkube: {
    about: "<cache>/<16 hex digits of SHA-256 of the source as written>",
    directory: ({ at, source }) => join(at, cacheKey(source)),
  },
  aim: {
    about: "<cache>/<org>/<name>; the cache is mounted at /workspace/model-cache",
    directory: ({ at, modelId }) => join(at, checkedId(modelId)),
  },
  ome: {
    about: "storage.path itself, which is absolute and the same on the node and in the pod",
    directory: ({ at }) => checkedAbsolute(at),
  },
} as const satisfies Record<string, FixedLayout>;

export type LayoutName = keyof typeof fixedLayouts;

export function isLayoutName(text: string): text is LayoutName {
  return Object.hasOwn(fixedLayouts, text);
}

/** No normalisation: a source that is written differently is another entry, as the documents say. */
export function cacheKey(source: string): string {
  return createHash("sha256").update(source).digest("hex").slice(0, 16);
}

function checkedId(modelId: string | undefined): string {
  if (modelId === undefined)
    throw new WeightsError("refused", "InvalidOption", "this layout needs the model ID; set --model-id org/name");
  checkRelativePath(modelId, "--model-id");
  return modelId;
}

function checkedAbsolute(path: string): string {
  if (isAbsolute(path) && !path.split("/").includes("..")) return normalize(path).replace(/(?<=.)\/+$/, "");
  throw new WeightsError("refused", "InvalidOption", `${path}: this layout needs an absolute path without ..`);
}
