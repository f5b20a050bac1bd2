/** As many names as a person reads. */
const longest = 8;

/** The files that a person may have meant who named one that does not exist: those of the same kind, else all. */
export function nameCandidates(wanted: string, files: readonly { readonly path: string }[]): string {
  const kind = /\.[^./]+$/.exec(wanted)?.[0]?.toLowerCase();
  const all = files.map(({ path }) => path).sort();
  const alike = kind === undefined ? [] : all.filter((path) => path.toLowerCase().endsWith(kind));
  const named = alike.length > 0 ? alike : all;
  if (named.length === 0) return "no files available";
  const more = named.length - longest;
  const what = alike.length > 0 ? `available ${kind} files: ` : "available: ";
  return `${what}${named.slice(0, longest).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
