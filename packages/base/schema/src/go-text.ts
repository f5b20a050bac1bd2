import { canonicalJson } from "@trivium/std";

/** How Go prints values. Messages that clients compare and grep for contain numbers, strings and JSON in this form. */

const escapes: Readonly<Record<string, string>> = {
  "\u0007": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
  "\\": "\\\\",
  '"': '\\"',
};

/** Go's `%q`: everything that cannot be printed is escaped. */
export function quoteGo(text: string): string {
  return `"${text.replace(/[\\"]|(?! )[\p{C}\p{Z}]/gu, escapeCharacter)}"`;
}

function escapeCharacter(character: string): string {
  const known = escapes[character];
  if (known !== undefined) return known;
  const code = character.codePointAt(0) as number;
  // A lone surrogate is not a character; Go has already replaced it while decoding.
  if (code >= 0xd800 && code <= 0xdfff) return "\ufffd";
  if (code < 0x80) return `\\x${code.toString(16).padStart(2, "0")}`;
  if (code <= 0xffff) return `\\u${code.toString(16).padStart(4, "0")}`;
  return `\\U${code.toString(16).padStart(8, "0")}`;
}

/** Go's `%v` of a decoded JSON number: whole numbers are int64 there, all others float64. */
export function formatGoNumber(value: number): string {
  return Number.isInteger(value) && Math.abs(value) < 2 ** 63 ? String(value) : formatGoFloat(value);
}

/** Go's `%v` of a float64: an exponent from a million on, with two digits at least. */
export function formatGoFloat(value: number): string {
  const [digits = "", power = ""] = value.toExponential().split("e");
  const exponent = Number(power);
  if (exponent >= -4 && exponent < 6) return String(value);
  return `${digits}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
}

/** Go's `json.Marshal`: sorted keys, and the characters that could end a script tag escaped. */
export function formatGoJson(value: unknown): string {
  return canonicalJson(value).replace(/[<>&\u2028\u2029]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}
