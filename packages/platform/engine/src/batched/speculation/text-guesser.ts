import type { Guesser } from "./guesser.ts";

/** Fewer tokens than this are found in any text, and say nothing about what follows. */
const minMatch = 4;
const maxMatch = 16;

/** Guesses from the text so far: code that is edited, a document that is quoted, a list that repeats its words. */
export class TextGuesser implements Guesser {
  guess(_slot: number, text: readonly number[], most: number): Promise<readonly number[]> {
    return Promise.resolve(continuationOf(text, most));
  }
}

/** What followed when the text last ended as it does now; no more tokens than agree before it. */
export function continuationOf(text: readonly number[], most: number): readonly number[] {
  for (let end = text.length - 1; end >= minMatch; end--) {
    const match = commonSuffix(text, end);
    if (match >= minMatch) return text.slice(end, end + Math.min(match, most));
  }
  return [];
}

/** How many tokens before `end` are those at the end of the whole text. */
function commonSuffix(text: readonly number[], end: number): number {
  const longest = Math.min(maxMatch, end);
  let count = 0;
  while (count < longest && text[end - 1 - count] === text[text.length - 1 - count]) count++;
  return count;
}
