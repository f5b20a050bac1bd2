/** Characters of all warnings of an answer: clients and proxies refuse headers without end. */
const longestTotal = 4096;
/** Characters of each warning, once all of them together would be too long. */
const longestItem = 256;

/** Values of the `Warning` header, one for each text: whole where they fit, else cut short, and the rest left out. */
export function warningHeaders(warnings: readonly string[]): string[] {
  const texts = [...new Set(warnings)].filter((text) => text !== "");
  return fitting(texts).map((text) => `299 - "${text.replace(/[\\"]/g, "\\$&")}"`);
}

function fitting(texts: readonly string[]): readonly string[] {
  if (texts.reduce((total, text) => total + text.length, 0) <= longestTotal) return texts;
  const kept: string[] = [];
  let total = 0;
  for (const text of texts) {
    const short = cut(text);
    total += short.length;
    if (total > longestTotal) break;
    kept.push(short);
  }
  return kept;
}

/** Whole characters only: half a pair of surrogates cannot be written. */
const cut = (text: string): string => [...text.slice(0, 2 * longestItem)].slice(0, longestItem).join("");
