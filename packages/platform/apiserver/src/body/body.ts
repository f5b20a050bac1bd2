import type { Json } from "@trivium/std";
import { bodyTooLarge } from "../refusals.ts";
import { refuseParts, sizeFaultOf } from "./body-size.ts";
import { duplicateFields } from "./duplicates.ts";
import { longestYaml, parseYaml } from "./yaml-body.ts";

/** The value of a request body, and what to say of fields that it gives twice. */
export interface Body {
  readonly value: Json;
  readonly duplicates: () => readonly string[];
}

/** A body that is not JSON or YAML. The message is the parser's, in the words clients know from Go. */
export class BodyError extends Error {}

export function parseJsonBody(text: string): Body {
  return jsonBody(text, parseJson(text));
}

function jsonBody(text: string, value: Json): Body {
  refuseSize(value);
  return { value, duplicates: () => duplicateFields(text, value).map((path) => `duplicate field "${path}"`) };
}

/** YAML, or JSON, which is what most clients send as YAML. */
export function parseYamlBody(text: string): Body {
  const value = /^\s*[{[]/.test(text) ? jsonIn(text) : undefined;
  if (value !== undefined) return jsonBody(text, value);
  if (text.length > longestYaml) {
    throw bodyTooLarge(
      `Request entity too large: a body in YAML may have ${longestYaml} characters, this one has ${text.length}; send it as JSON`,
    );
  }
  const body = parseYaml(text, (message) => new BodyError(message));
  refuseSize(body.value);
  return { value: body.value, duplicates: () => body.duplicates };
}

function parseJson(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    throw new BodyError(inGoWords(text, error instanceof Error ? error.message : String(error)));
  }
}

/** The value of a text that is JSON; undefined for YAML that only begins like it. */
function jsonIn(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

function refuseSize(value: Json): void {
  const fault = sizeFaultOf(value);
  if (fault === "too-deep") throw new BodyError("exceeded max depth");
  if (fault !== undefined) refuseParts();
}

/** What each complaint of our parser is called by the parser that clients know. */
const complaints: readonly (readonly [RegExp, string])[] = [
  [/property name/, "looking for beginning of object key string"],
  [/',' or '}'/, "after object key:value pair"],
  [/',' or ']'/, "after array element"],
  [/':' after/, "after object key"],
  [/control character/, "in string literal"],
  [/escape/i, "in string escape code"],
  [/after JSON/, "after top-level value"],
  [/number/i, "in numeric literal"],
];

function inGoWords(text: string, message: string): string {
  const position = Number(/at position (\d+)/.exec(message)?.[1] ?? Number.NaN);
  if (/unexpected end|unterminated/i.test(message) || position >= text.trimEnd().length)
    return "unexpected end of JSON input";
  const literal = brokenLiteral(text, position);
  if (literal !== undefined) return literal;
  const token = /Unexpected token '(.)'/u.exec(message)?.[1] ?? text[position];
  const where = complaints.find(([pattern]) => pattern.test(message))?.[1] ?? "looking for beginning of value";
  return token === undefined ? message : `invalid character '${token}' ${where}`;
}

/** Words that begin like `true`, `false` or `null` and go on otherwise. */
function brokenLiteral(text: string, position: number): string | undefined {
  for (const word of ["true", "false", "null"]) {
    for (let length = word.length - 1; length > 0; length--) {
      const start = Number.isNaN(position) ? text.length - text.trimStart().length : position - length;
      const found = text[start + length] ?? "";
      if (!text.startsWith(word.slice(0, length), start) || found === word[length]) continue;
      return `invalid character '${found}' in literal ${word} (expecting '${word[length]}')`;
    }
  }
  return undefined;
}

/** `{"metadata" ...`, or hexadecimal when it does not begin like an object: enough of a body to recognise it. */
export function summarize(text: string): string {
  if (text === "") return "<empty>";
  if (text.startsWith("{")) return text.length > 30 ? `${text.slice(0, 30)} ...` : text;
  const hex = Buffer.from(text.slice(0, 30)).toString("hex");
  return text.length > 30 ? `${hex} ...` : hex;
}
