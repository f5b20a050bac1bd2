import { isObject, type Json } from "@trivium/std";

/** A value as Go prints it (`map[a:1 b:[x y]]`); clients see it in some messages of a real server. */
export function goText(value: Json): string {
  if (value === null || value === undefined) return "<nil>";
  if (Array.isArray(value)) return `[${value.map(goText).join(" ")}]`;
  if (!isObject(value)) return String(value);
  const keys = Object.keys(value).sort();
  return `map[${keys.map((key) => `${key}:${goText(value[key] as Json)}`).join(" ")}]`;
}
