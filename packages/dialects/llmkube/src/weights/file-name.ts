/** Names are put into paths and arguments; this is as long as the shortest file systems take, with room for a suffix. */
const longest = 200;

/** Only letters, digits, dots, dashes and underscores; runs of anything else become one dash. */
export function sanitize(text: string): string {
  return text
    .replace(/[^A-Za-z0-9._-]+/g, "-")
    .replace(/-{2,}/g, "-")
    .slice(0, longest)
    .replace(/^[-._]+|[-._]+$/g, "");
}

/**
 * The name of the weights file in the cache: by the header where it is known, else by the source. Two Models of one source so
 * agree on it although each has a name of its own.
 */
export function fileNameOf(names: {
  readonly header: string | null | undefined;
  readonly source: string;
  readonly model: string;
}): string {
  const last = (names.source.split(/[?#]/, 1)[0] ?? "").split("/").at(-1) ?? "";
  const candidates = [names.header ?? "", last.replace(/\.gguf$/i, ""), names.model].map(sanitize);
  return `${candidates.find((name) => name !== "") ?? "model"}.gguf`;
}
