/** What native code ends or hangs over, kept from it: each of these has ended a process or held it up for minutes. */
import { badRequest } from "./api-error.ts";

const largest = 2 ** 31 - 1;

/** Whole numbers with a place in native code, and how large they may be. */
const ranges: Readonly<Record<string, readonly [least: number, most: number]>> = {
  top_k: [-largest, largest],
  repeat_last_n: [-1, 1_000_000],
  dry_penalty_last_n: [-1, 1_000_000],
  dry_allowed_length: [0, 1_000_000],
  mirostat: [0, 2],
};

/** Refuses a value that native code has no place for. */
export function checkNumber(name: string, value: number): void {
  if (!Number.isFinite(value)) throw badRequest(`'${name}' must be a finite number`);
  const range = ranges[name];
  if (range === undefined) return;
  const [least, most] = range;
  if (value < least || value > most || (name === "mirostat" && !Number.isInteger(value)))
    throw badRequest(`'${name}' must be a whole number from ${least} to ${most}`);
}

/** OpenAI's own limit for one request. */
export const maxInputs = 2_048;

export function checkInputs(name: string, count: number): void {
  if (count > maxInputs)
    throw badRequest(`'${name}' must not have more than ${maxInputs} entries; send several requests`);
}

const maxDepth = 64;
const maxNodes = 5_000;
const maxProperties = 200;
const longestPattern = 1_000;

/**
 * Refuses a schema whose grammar would be too large. Optional properties make it grow with their square, and native code
 * follows nesting by calling itself.
 */
export function checkSchema(schema: unknown): void {
  const tooLarge = (why: string) => badRequest(`JSON schema conversion failed: the schema ${why}`);
  let nodes = 0;
  const open: { readonly value: unknown; readonly depth: number }[] = [{ value: schema, depth: 0 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, depth } = next;
    if (typeof value !== "object" || value === null) continue;
    nodes += 1;
    if (depth > maxDepth) throw tooLarge(`is nested deeper than ${maxDepth} levels`);
    if (nodes > maxNodes) throw tooLarge(`has more than ${maxNodes} parts`);
    const { properties, pattern } = value as { properties?: unknown; pattern?: unknown };
    if (typeof properties === "object" && Object.keys(properties ?? {}).length > maxProperties)
      throw tooLarge(`has an object with more than ${maxProperties} properties`);
    if (typeof pattern === "string") checkPattern(pattern, tooLarge);
    for (const part of Object.values(value)) open.push({ value: part, depth: depth + 1 });
  }
}

function checkPattern(pattern: string, tooLarge: (why: string) => Error): void {
  if (pattern.length > longestPattern) throw tooLarge(`has a pattern of more than ${longestPattern} characters`);
  if (/\{\d*,?\d{4,}/.test(pattern)) throw tooLarge("has a pattern with a repetition of more than 999");
  if ((pattern.match(/\(/g)?.length ?? 0) > maxDepth) throw tooLarge(`has a pattern with more than ${maxDepth} groups`);
}
