import { parseSourceUri } from "@trivium/std";

/** Whether a source is one GGUF file whose header can be read where it is. */
export function isGgufFile(uri: string): boolean {
  const source = parseSourceUri(uri);
  const path = source.scheme === "http" ? source.url.replace(/[?#].*$/, "") : pathOf(source);
  return path !== undefined && /\.gguf$/i.test(path);
}

const pathOf = (source: ReturnType<typeof parseSourceUri>): string | undefined =>
  source.scheme === "file" || source.scheme === "hub" ? source.path : undefined;
