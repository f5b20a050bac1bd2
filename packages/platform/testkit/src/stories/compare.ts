import { deepEqual, isObject, type Json } from "@trivium/std";

/**
 * What differs between an object and what a story expects of it, a line each. Expected objects name what they care for; other fields may
 * be anything. `/text/` is a pattern, `absent` means that there is nothing, and lists are compared whole.
 */
export function differencesOf(found: unknown, expected: Json, at = ""): string[] {
  if (expected === "absent") return found === undefined ? [] : [`${at}: ${show(found)} is there`];
  if (typeof expected === "string" && isPattern(expected)) return differenceOfText(found, expected, at);
  if (Array.isArray(expected)) return differencesOfList(found, expected, at);
  if (!isObject(expected))
    return deepEqual(found as Json, expected) ? [] : [`${at}: ${show(found)}, not ${show(expected)}`];
  return Object.entries(expected).flatMap(([path, inner]) => {
    const place = at === "" ? path : `${at}.${path}`;
    return differencesOf(valueAt(found, path), inner as Json, place);
  });
}

const isPattern = (text: string): boolean => text.length > 2 && text.startsWith("/") && text.endsWith("/");

export const matches = (text: string, expected: string): boolean =>
  isPattern(expected) ? new RegExp(expected.slice(1, -1)).test(text) : text === expected;

function differenceOfText(found: unknown, pattern: string, at: string): string[] {
  const text = typeof found === "string" ? found : (JSON.stringify(found) ?? "");
  return matches(text, pattern) ? [] : [`${at}: ${show(found)} does not match ${pattern}`];
}

function differencesOfList(found: unknown, expected: readonly Json[], at: string): string[] {
  const list: readonly unknown[] = Array.isArray(found) ? found : [];
  if (list.length !== expected.length) return [`${at}: ${show(found)}, not ${show(expected)}`];
  return expected.flatMap((inner, i) => differencesOf(list[i], inner, `${at}[${i}]`));
}

/**
 * `status.conditions.Available.reason`: a list is entered by the type or name of an item, or by its number. What has dots itself, as names
 * of labels do, stands in parentheses.
 */
export function valueAt(value: unknown, path: string): unknown {
  let at = value;
  for (const [, whole, plain] of path.matchAll(/\(([^)]+)\)|([^.()]+)/g)) {
    at = partOf(at, whole ?? plain ?? "");
    if (at === undefined) return undefined;
  }
  return at;
}

function partOf(value: unknown, key: string): unknown {
  if (!Array.isArray(value)) return isObject(value as Json) ? (value as Record<string, unknown>)[key] : undefined;
  const named = (value as { type?: string; name?: string }[]).find(({ type, name }) => type === key || name === key);
  return named ?? (/^\d+$/.test(key) ? value[Number(key)] : undefined);
}

const show = (value: unknown): string => JSON.stringify(value) ?? "nothing";
