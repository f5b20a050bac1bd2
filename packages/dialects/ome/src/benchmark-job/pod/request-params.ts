import type { Json } from "@trivium/std";

/** Values are texts in the API; a server wants numbers and booleans where they are meant. */
export function requestParams(given: Readonly<Record<string, string>>): Record<string, Json> {
  const sorted = Object.entries(given).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(sorted.map(([name, text]) => [name, meaningOf(text)]));
}

function meaningOf(text: string): Json {
  if (text === "true" || text === "false") return text === "true";
  // Beyond fifteen digits a number would come out as another one.
  return /^-?(0|[1-9]\d{0,14})(\.\d{1,15})?$/.test(text) ? Number(text) : text;
}
