const maxWidth = 100;

/** Lines of prose that are wider than a reader's window. Tables, code, and lines that one link or URL fills are exempt. */
export function faultsOfWidth(path: string, page: string): string[] {
  if (page.startsWith("<!-- Generated")) return [];
  let isCode = false;
  return page.split("\n").flatMap((line, index) => {
    if (/^ *```/.test(line)) isCode = !isCode;
    if (isCode || /^\s*\|/.test(line) || visibleWidth(line) <= maxWidth) return [];
    return [`${path}:${index + 1}: line of ${visibleWidth(line)} characters; wrap prose at ${maxWidth}`];
  });
}

/** Where a link leads to, and a URL, cannot be wrapped. */
const visibleWidth = (line: string): number =>
  [...line.replace(/\]\([^)]*\)/g, "]").replace(/https?:\/\/\S+/g, "")].length;
