import { parseSourceUri, type SourceUri } from "./source-uri.ts";

export interface HubPage {
  /** Absent where the address is of the repository itself. */
  readonly form?: "tree" | "resolve" | "blob";
  /** What the address means: a repository, or a file in it. */
  readonly place: SourceUri;
}

/**
 * Reads the path of a web address of the hub or of a mirror: `/org/name`, `/org/name/tree/revision`, or
 * `/org/name/resolve/revision[/file]`. Nothing for other pages.
 */
export function parseHubPath(pathname: string): HubPage | undefined {
  const [organization, name, form, revision, ...file] = pathname.split("/").filter((step) => step !== "");
  if (organization === undefined || name === undefined) return undefined;
  if (form === undefined) return { place: parseSourceUri(`hf://${organization}/${name}`) };
  const isFile = file.length > 0 && (form === "resolve" || form === "blob");
  const isTree = form === "tree" || form === "resolve";
  if (revision === undefined || !(isFile || isTree)) return undefined;
  const path = isFile ? `/${file.join("/")}` : "";
  return { form, place: parseSourceUri(`hf://${organization}/${name}@${revision}${path}`) };
}
