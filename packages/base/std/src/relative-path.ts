const encoder = new TextEncoder();

/**
 * Why a path could leave the folder that it is put in, on some file system; nothing where it cannot: it is relative, has forward slashes, no
 * dot segments, nothing empty, no control characters and a bearable length.
 */
export function faultOfRelativePath(path: string): string | undefined {
  if (path === "" || path.length > 1024) return "is empty or too long";
  if (path.startsWith("/") || /^[a-zA-Z]:/.test(path)) return "is absolute";
  if (path.includes("\\")) return "has a backslash";
  for (let i = 0; i < path.length; i++) if (path.charCodeAt(i) < 0x20) return "has a control character";
  for (const word of path.split("/")) {
    if (word === "" || word === "." || word === "..") return "has an empty or a dot segment";
    if (encoder.encode(word).length > 255) return "has a name that is too long";
  }
  return undefined;
}
