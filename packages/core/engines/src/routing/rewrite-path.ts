import type { RouteFilter, RouteMatch } from "./route-table.ts";

type PathChange = NonNullable<NonNullable<RouteFilter["urlRewrite"]>["path"]>;

/** The path after a rewrite or redirect. A prefix is replaced only where the match was by prefix. */
export function rewritePath(path: string, change: PathChange | undefined, match: RouteMatch): string {
  if (change === undefined) return path;
  if (change.type === "ReplaceFullPath") return absolute(encode(change.replaceFullPath ?? "/"));
  if ((match.path?.type ?? "PathPrefix") !== "PathPrefix") return path;
  const prefix = (match.path?.value ?? "/").replace(/\/$/, "");
  const replacement = encode(change.replacePrefixMatch ?? "/").replace(/\/$/, "");
  return absolute(replacement + path.slice(prefix.length));
}

/** A path begins with exactly one slash: a second one would name another host. */
const absolute = (path: string): string => `/${path.replace(/^\/+/, "")}`;

/** What people write in a path, as a URL carries it; what is percent-encoded already stays. A `?` or `#` of the path ends no path. */
const encode = (path: string): string =>
  path.replace(/[^!$&'()*+,\-./0-9:;=@A-Z_a-z~%]/gu, (character) =>
    // A lone half of a character has no encoding.
    character.isWellFormed() ? encodeURIComponent(character) : "%EF%BF%BD",
  );
