import type { Model } from "../kinds/model.ts";
import { planFileSet } from "./file-set.ts";
import { parseSource, repositoryUri } from "./source.ts";

/** Where the header of a Model's file can be read without fetching the file; nothing where no single file is known. */
export function headerUriOf({ spec }: Model): string | undefined {
  if (spec.format !== "gguf") return undefined;
  const source = parseSource(spec.source);
  if (source.is === "remote") return source.url;
  if (source.is === "local") return `file://${source.path}`;
  const files = planFileSet(spec);
  if (source.is !== "repository" || files.is !== "staged") return undefined;
  return `${repositoryUri(source.repository, source.revision)}/${files.primary}`;
}
