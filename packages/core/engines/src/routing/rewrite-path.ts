import type { RouteFilter, RouteMatch } from "./route-table.ts";

type PathChange = NonNullable<NonNullable<RouteFilter["urlRewrite"]>["path"]>;

/** The path after a rewrite or redirect. A prefix is replaced only where the match was by prefix. */
export function rewritePath(path: string, change: PathChange | undefined, match: RouteMatch): string {
  if (change === undefined) return path;
  if (change.type === "ReplaceFullPath") return absolute(change.replaceFullPath ?? "/");
  if ((match.path?.type ?? "PathPrefix") !== "PathPrefix") return path;
  const prefix = (match.path?.value ?? "/").replace(/\/$/, "");
  const replacement = (change.replacePrefixMatch ?? "/").replace(/\/$/, "");
  return absolute(replacement + path.slice(prefix.length));
}

/** A path begins with exactly one slash: a second one would name another host. */
const absolute = (path: string): string => `/${path.replace(/^\/+/, "")}`;
