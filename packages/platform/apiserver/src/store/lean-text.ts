const beyondLatin1 = /[\u0100-\uffff]/g;

/**
 * The same JSON in a spelling that takes one byte a character in memory. One character outside Latin-1 doubles the size of
 * a whole JavaScript string, so where such characters are rare (a dash or an arrow in a description) they become `\uXXXX`.
 * In JSON text they can stand only inside strings, where the escape means the same.
 */
export function leanText(text: string): string {
  const found = text.match(beyondLatin1);
  if (found === null) return text;
  if (found.length * 5 > text.length && text.isWellFormed()) return text;
  return text.replace(beyondLatin1, escapeUnit);
}

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** A copy with memory of its own: a piece of a longer string (a name cut from a URL) would keep the whole of it alive. */
export function ownCopy(text: string): string {
  return Buffer.from(text, "utf8").toString("utf8");
}
