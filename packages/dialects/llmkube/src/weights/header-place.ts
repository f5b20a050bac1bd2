import type { HeaderPlace } from "@trivium/domain";
import { formatFileUri, formatHubUri } from "@trivium/std";
import type { Model } from "../kinds/model.ts";
import { type FileSet, planFileSet } from "./file-set.ts";
import { sourceOf } from "./source.ts";

/** Where the header of a Model's file can be read without fetching the file; nothing where no single file is known. */
export function headerPlaceOf(
  { spec }: Model,
  version: string | undefined,
  files: FileSet = planFileSet(spec),
): HeaderPlace | undefined {
  if (spec.format !== "gguf") return undefined;
  const source = sourceOf(spec);
  const placed = version === undefined ? {} : { version };
  if (source.is === "remote") return { uri: source.uri, ...placed };
  if (source.is === "local") return { uri: formatFileUri(source.path), ...placed };
  if (source.is !== "repository" || files.is !== "staged") return undefined;
  return { uri: formatHubUri({ repo: source.repository, revision: source.revision, path: files.primary }) };
}
