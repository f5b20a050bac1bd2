import { WeightsError } from "../fault.ts";

/** More files than any model has; a listing that goes on for ever ends here. */
export const maxFiles = 20_000;

/**
 * Throws `UnsafePath` unless the path stays inside the folder it will be put in, on every file system: relative, forward
 * slashes, no dot segments, nothing empty, no control characters, of bearable length.
 */
export function checkRelativePath(path: string, owner: string): void {
  const fault = faultOfRelativePath(path);
  if (fault === undefined) return;
  throw new WeightsError(
    "refused",
    "UnsafePath",
    `${owner}: lists the file ${JSON.stringify(path.slice(0, 80))}, which ${fault}`,
  );
}

export function faultOfRelativePath(path: string): string | undefined {
  if (path === "" || path.length > 1024) return "is empty or too long";
  if (path.startsWith("/") || /^[a-zA-Z]:/.test(path)) return "is absolute";
  if (path.includes("\\")) return "has a backslash";
  for (let i = 0; i < path.length; i++) if (path.charCodeAt(i) < 0x20) return "has a control character";
  for (const word of path.split("/")) {
    if (word === "" || word === "." || word === "..") return "has an empty or a dot segment";
    if (Buffer.byteLength(word) > 255) return "has a name that is too long";
  }
  return undefined;
}
