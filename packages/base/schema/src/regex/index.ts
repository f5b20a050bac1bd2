import { Matcher } from "./matcher.ts";
import { RegexError } from "./syntax.ts";

export { Matcher } from "./matcher.ts";
export { RegexError } from "./syntax.ts";

const most = 1000;
const matchers = new Map<string, Matcher>();

/** The matcher of a pattern, made once. Throws `RegexError` for a pattern that Go would refuse. */
export function matcherOf(pattern: string): Matcher {
  let matcher = matchers.get(pattern);
  if (matcher === undefined) {
    matcher = new Matcher(pattern);
    if (matchers.size >= most) matchers.clear();
    matchers.set(pattern, matcher);
  }
  return matcher;
}

/** What is wrong with a pattern in Go's words, or undefined. */
export function faultOfPattern(pattern: string): string | undefined {
  try {
    matcherOf(pattern);
    return undefined;
  } catch (error) {
    if (error instanceof RegexError) return error.message;
    throw error;
  }
}
