import { isObject, type Json, type JsonObject } from "@trivium/std";
import { lastAppliedAnnotation } from "./merge/last-applied.ts";
import { isSecretName } from "./redact/names.ts";
import { hideRepeats } from "./redact/repeats.ts";
import { isReference, maskText, redacted } from "./redact/text.ts";

export { redacted };

/**
 * A copy without credentials: the content of Secrets, values under names and in forms of credentials, and every other place where one of
 * those values is repeated. What a person applied last is left out, because it repeats all of it.
 */
export function redact<T>(value: T): T {
  const found = new Set<string>();
  const masked = mask(value as Json, found);
  return mapTexts(masked, hideRepeats(found, redacted)) as T;
}

function mask(value: Json, found: Set<string>): Json {
  if (typeof value === "string") return maskText(value, found);
  if (Array.isArray(value)) return value.map((item, at) => maskItem(item as Json, value[at - 1] as Json, found));
  if (!isObject(value)) return value;
  const isSecret = value.kind === "Secret";
  const isConfig = value.kind === "ConfigMap";
  const isVariable = typeof value.name === "string" && isSecretName(value.name);
  const entries = Object.entries(value).flatMap(([key, inner]): [string, Json][] => {
    if (key === lastAppliedAnnotation) return [];
    if (isSecret && (key === "data" || key === "stringData")) return [[key, maskContent(inner as Json, found)]];
    if (isConfig && key === "data") return [[key, maskFiles(inner as Json, found)]];
    // What is binary cannot be searched.
    if (isConfig && key === "binaryData") return [[key, maskContent(inner as Json, found)]];
    const hides = isSecretName(key) || (isVariable && key === "value");
    return [[key, hides ? maskNamed(inner as Json, found) : mask(inner as Json, found)]];
  });
  return Object.fromEntries(entries);
}

/** A text, or a list of texts, under the name of a credential. */
function maskNamed(value: Json, found: Set<string>): Json {
  if (typeof value === "string") return hide(value, found);
  return Array.isArray(value) ? value.map((item) => maskNamed(item as Json, found)) : mask(value, found);
}

/** An argument behind a flag such as `--api-key`. */
function maskItem(item: Json, before: Json | undefined, found: Set<string>): Json {
  const isValue = typeof before === "string" && before.startsWith("-") && isSecretName(before.replace(/^-+/, ""));
  if (typeof item !== "string") return mask(item, found);
  if (before === "-u" || before === "--user") return maskText(`-u ${item}`, found).slice("-u ".length);
  return isValue ? hide(item, found) : mask(item, found);
}

function maskContent(content: Json, found: Set<string>): Json {
  if (!isObject(content)) return redacted;
  const masked: JsonObject = {};
  for (const [key, inner] of Object.entries(content)) {
    const text = String(inner);
    found.add(text);
    for (const word of decode(text).split(/[\s"']+/)) found.add(word);
    masked[key] = btoa(redacted);
  }
  return masked;
}

/** What is not base64 has no other form. */
function decode(base64: string): string {
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(base64), (character) => character.charCodeAt(0)));
  } catch {
    return base64;
  }
}

function hide(text: string, found: Set<string>): string {
  if (text === "" || isReference(text)) return text;
  found.add(text);
  return redacted;
}

/** Files of a ConfigMap: each is a setting by its name, or text that has settings. */
function maskFiles(files: Json, found: Set<string>): Json {
  if (!isObject(files)) return mask(files, found);
  const entries = Object.entries(files).map(([name, text]): [string, Json] => {
    if (typeof text !== "string") return [name, mask(text as Json, found)];
    return [name, isSecretName(name) ? hide(text, found) : maskText(text, found, true)];
  });
  return Object.fromEntries(entries);
}

function mapTexts(value: Json, change: (text: string) => string): Json {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item as Json, change));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, mapTexts(inner as Json, change)]));
}
