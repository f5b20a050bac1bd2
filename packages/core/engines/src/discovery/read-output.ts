import { isObject, type Json, type JsonObject } from "@trivium/std";

/** Output of a program that was asked for a list: whatever else it printed. */
export type ListedOutput =
  | { readonly is: "found"; readonly first: JsonObject }
  | { readonly is: "faulty"; readonly why: string };

/** Programs print what they like; only the end of it is looked at, and only so often. */
const maxCharacters = 256 << 10;
const maxTries = 256;

/**
 * The first object of the list that a program printed last. Lines before and behind the list are passed over. Reads no more than the end
 * of the output, and tries only so many beginnings, because what a container prints may be made to be slow to read.
 */
export function readListedOutput(output: string): ListedOutput {
  const text = output.slice(-maxCharacters).trim();
  if (text === "") return { is: "faulty", why: "the output is empty" };
  const whole = listIn(text);
  if (whole !== undefined) return firstOf(whole);
  const end = text.lastIndexOf("]");
  if (end < 0) return { is: "faulty", why: "the output has no JSON list" };
  let begin = text.lastIndexOf("[", end);
  for (let tries = 0; begin >= 0 && tries < maxTries; tries += 1) {
    const list = listIn(text.slice(begin, end + 1));
    // A list of numbers inside the list that is looked for is no find.
    if (list?.some(isObject)) return firstOf(list);
    begin = begin === 0 ? -1 : text.lastIndexOf("[", begin - 1);
  }
  return { is: "faulty", why: "the output has no JSON list of objects" };
}

function firstOf(list: readonly Json[]): ListedOutput {
  const [first] = list;
  if (first === undefined) return { is: "faulty", why: "the list in the output is empty" };
  return isObject(first)
    ? { is: "found", first }
    : { is: "faulty", why: "the first item of the list in the output is not an object" };
}

function listIn(text: string): readonly Json[] | undefined {
  try {
    const value = JSON.parse(text) as Json;
    return Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
