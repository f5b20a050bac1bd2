import { posix } from "node:path";

/** Where a path of the container really is. */
export interface MountedPath {
  /** Absolute, as the container knows it. */
  readonly mountPath: string;
  /** Absolute, on this machine. */
  readonly realPath: string;
}

/** Given a text of the spec, the same with every path of a volume turned into the real one. */
export type RewritePaths = (text: string) => string;

/**
 * A path begins where a word could begin, and ends with the word. What stands before it decides: `/models` in `http://host/models`, in
 * `./models` or in `$HOME/models` is the middle of something else.
 */
const words = /(^|[\s"'`=:,;|&<>({[@])((?:file:\/\/)?)(\/[^\s"'`=:,;|&<>(){}[\]]*)/g;

/**
 * A process without a mount namespace does not find its volumes where the spec mounts them, so what it is told is rewritten: each path
 * under a mount becomes a path under the real folder. The longest mount wins. A path that climbs with `..` is read as the container
 * would read it, so it never ends in a neighbour of the real folder.
 */
export function pathRewriter(mounts: readonly MountedPath[]): RewritePaths {
  const byLength = mounts
    .map(({ mountPath, realPath }) => ({ mountPath: trimmed(mountPath), realPath: trimmed(realPath) }))
    .filter(({ mountPath }) => mountPath !== "/")
    .sort((a, b) => b.mountPath.length - a.mountPath.length || (a.mountPath < b.mountPath ? -1 : 1));
  const realOf = (path: string): string | undefined => {
    for (const { mountPath, realPath } of byLength) {
      if (path === mountPath) return realPath;
      if (path.startsWith(`${mountPath}/`)) return realPath + path.slice(mountPath.length);
    }
    return undefined;
  };
  if (byLength.length === 0) return (text) => text;
  return (text) =>
    text.includes("/")
      ? text.replace(words, (written, before: string, scheme: string, path: string) => {
          const isUrl = before === ":" && path.startsWith("//");
          const real = isUrl ? undefined : realOf(plain(path));
          return real === undefined ? written : before + scheme + real;
        })
      : text;
}

/** Without `.` and `..` and doubled slashes, as the kernel would read it where nothing is a link. */
function plain(path: string): string {
  return /\/(?:\.{0,2}(?:\/|$))/.test(path) ? posix.normalize(path) : path;
}

function trimmed(path: string): string {
  const normal = posix.normalize(path);
  return normal.length > 1 && normal.endsWith("/") ? normal.slice(0, -1) : normal;
}
