import { rejectedPatch } from "./patch-error.ts";

/** The keys that a JSON pointer (RFC 6901) names; the empty pointer names the whole document. */
export function parsePointer(text: string): readonly string[] {
  if (text === "") return [];
  if (!text.startsWith("/")) throw rejectedPatch(`path '${text}' must start with '/'`);
  return text.slice(1).split("/").map(unescapePart);
}

function unescapePart(part: string): string {
  if (!part.includes("~")) return part;
  if (/~(?![01])/.test(part)) throw rejectedPatch(`'~' in path part '${part}' must be written '~0'`);
  return part.replaceAll("~1", "/").replaceAll("~0", "~");
}
