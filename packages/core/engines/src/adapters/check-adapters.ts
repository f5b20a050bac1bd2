import { parseSourceUri, rootOf, type SourceUri, showUri } from "@trivium/std";
import { servingAnnotations } from "../serving/annotation-names.ts";
import { describeRefusedPath } from "../weights/local-root.ts";
import type { RequestedAdapter } from "./adapter-list.ts";

/** Where a dialect downloads adapters from. */
export interface AdapterSources {
  readonly schemes: readonly SourceUri["scheme"][];
  /** The same for people: `hf://, s3:// or file:///`. */
  readonly expected: string;
  /** Directories of nodes that sources can be in. */
  readonly localRoots: readonly string[];
}

/** Why an adapter of the annotation cannot be used: cause and remedy, for the first that cannot. */
export function findAdapterFault(requested: readonly RequestedAdapter[], sources: AdapterSources): string | undefined {
  for (const adapter of requested) {
    const fault = faultOf(adapter, sources);
    if (fault !== undefined) return `Adapter ${adapter.name} of annotation ${servingAnnotations.adapters} ${fault}`;
  }
  return undefined;
}

function faultOf({ name, source }: RequestedAdapter, { schemes, expected, localRoots }: AdapterSources) {
  if (source === undefined) return `has no source; write ${name}=hf://organization/repository`;
  const uri = parseSourceUri(source);
  if (!schemes.includes(uri.scheme))
    return `has source ${showUri(source).slice(0, 200)}, which is not supported; use ${expected}`;
  if (uri.scheme !== "file" || rootOf(uri.path, localRoots) !== undefined) return undefined;
  return `cannot be read: ${describeRefusedPath(uri.path, localRoots)}`;
}
