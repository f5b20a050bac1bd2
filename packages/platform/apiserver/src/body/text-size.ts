/** How many parts a JSON text can have: all together, and entries of maps and lists that have more than `large`. */
export interface TextLimits {
  readonly values: number;
  readonly entries: number;
  readonly large: number;
}

const [quote, comma, backslash] = [0x22, 0x2c, 0x5c];
const [openMap, closeMap, openList, closeList] = [0x7b, 0x7d, 0x5b, 0x5d];

/**
 * Whether a JSON text has more parts than that, by its commas. Parsing hundreds of thousands of keys takes much longer than
 * counting them. Of a text that is not JSON the answer means nothing.
 */
export function hasMoreParts(text: string, limits: TextLimits): boolean {
  const counts: number[] = [];
  let { values, entries } = limits;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) at = endOfString(text, at);
    else if (code === openMap || code === openList) counts.push(1);
    else if (code === closeMap || code === closeList) counts.pop();
    else if (code === comma) {
      const count = ((counts[counts.length - 1] ?? 0) + 1) | 0;
      counts[counts.length - 1] = count;
      if (count === limits.large + 1) entries -= count;
      else if (count > limits.large) entries--;
      if (--values < 0 || entries < 0) return true;
    }
  }
  return false;
}

/** The closing quote of the string that opens at `start`. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end > 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end < 0 ? text.length : end;
}

function isEscaped(text: string, at: number): boolean {
  let slashes = 0;
  while (text.charCodeAt(at - 1 - slashes) === backslash) slashes++;
  return slashes % 2 === 1;
}
