import type { Json } from "@trivium/std";

/** No configuration of a model is longer; what is, is not read. */
const longest = 16 * 1024 * 1024;

/** Python writes these where JSON has no word; each stands where a value may. */
const foreignWords = /"(?:[^"\\]|\\.)*"|-?\bInfinity\b|\bNaN\b/g;

/** JSON as model repositories have it, or undefined where it is none: `NaN` and `Infinity` become null. */
export function parseModelJson(text: string): Json | undefined {
  if (text.length > longest) return undefined;
  const bare = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  return parse(bare) ?? parse(bare.replace(foreignWords, (word) => (word.startsWith('"') ? word : "null")));
}

function parse(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
