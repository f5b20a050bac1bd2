import { isObject, type Json } from "@trivium/std";

/** A value as Go prints it (`map[a:1 b:[x y]]`); clients see it in some messages of a real server. */
export function goText(value: Json): string {
  if (value === null || value === undefined) return "<nil>";
  if (Array.isArray(value)) return `[${value.map(goText).join(" ")}]`;
  if (!isObject(value)) return String(value);
  const keys = Object.keys(value).sort();
  return `map[${keys.map((key) => `${key}:${goText(value[key] as Json)}`).join(" ")}]`;
}

/** A value where Go was told to print a text: anything else shows its type. */
export function goWord(value: Json): string {
  if (typeof value === "string") return value;
  return value === null ? goType(value) : `%!s(${goType(value)}=${goText(value)})`;
}

/** The Go type of a value that was read from JSON. */
export function goType(value: Json): string {
  if (value === null) return "%!s(<nil>)";
  if (Array.isArray(value)) return "[]interface {}";
  if (typeof value === "object") return "map[string]interface {}";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "string") return "string";
  return Number.isInteger(value) ? "int64" : "float64";
}

/** JSON text with the characters escaped that Go escapes and JavaScript leaves alone. */
export function escapedForHtml(text: string): string {
  if (!/[<>&\u2028\u2029]/.test(text)) return text;
  return text.replace(/[<>&\u2028\u2029]/g, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
