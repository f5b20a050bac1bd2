import { isObject, type Json, type JsonObject } from "@trivium/std";
import { lastAppliedAnnotation } from "./merge/last-applied.ts";

/** Stands for a credential. */
export const redacted = "redacted";
const mark = redacted;

/** What names of credentials end with. Names of files and objects that hold one end otherwise. */
const longWords =
  "password|passwd|passphrase|token|secret|api[-_]?key|access[-_]?key(?:[-_]?id)?|private[-_]?key|secret[-_]key|credentials?|authorization|session[-_]?key";
/** Short ones end other words too, so they stand apart: `DB_PASS` and `dbPass`, not `bypass`. */
const shortWords = "(?:^|[-_.])(?:pass|pwd|creds)|[-_](?:key|auth)";
const named = new RegExp(`(?:(?:^|[-_./a-z0-9])(?:${longWords})|${shortWords})(?:[-_]?\\d+)?$`, "i");
const camel = /[a-z0-9](?:Pass|Pwd|Creds)$/;
/** The working directory, and how Kubernetes merges lists. */
const plain = /^(?:OLD)?PWD$|^x-kubernetes-/;
const isSecretName = (name: string): boolean => (named.test(name) || camel.test(name)) && !plain.test(name);

/** Credentials by their form, wherever they are written; the credential is the group `s`. */
const forms: readonly RegExp[] = [
  /(?<s>\b(?:hf|api_org)_[A-Za-z0-9]{8,})/g,
  /(?<s>\b(?:sk|pk|rk)-[A-Za-z0-9_-]{16,})/g,
  /(?<s>\b(?:ghp|gho|ghu|ghs|ghr|glpat|github_pat|npm|nvapi|xox[abprs])[-_][A-Za-z0-9_-]{16,})/g,
  /(?<s>\b(?:AKIA|ASIA)[A-Z0-9]{16}\b)/g,
  /(?<s>\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*)/g,
  /(?<s>-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$))/g,
  // The address of a webhook is all that it takes to post there.
  /\bhooks\.slack\.com\/services\/(?<s>[\w/]{8,})/g,
  /\b(?:Bearer|Basic)\s+(?<s>[A-Za-z0-9._~+/=-]{8,})/gi,
  /(?<![a-z0-9+.-])[a-z][a-z0-9+.-]*:\/\/[^\s/@:]*:(?<s>[^\s/@]+)@/gi,
  /[?&][\w-]*(?:signature|token|secret|password|credential|api[-_]?key|access[-_]?key|sig|key)=(?<s>[^&\s"']+)/gi,
];

/** A name and its value within a text; the credential is the group `s` where `n` is the name of one. */
const pairs: readonly RegExp[] = [
  // `--api-key x`, `--api-key=x`
  /(?:^|[\s"'])--?(?<n>[\w.-]+)(?:=|\s+)(?<s>[^\s"'\\]+)/g,
  // `DB_PASS=x`, `export TOKEN='x'`
  /(?<![\w.&?-])(?<n>[A-Za-z_][\w.-]*)=\\?["']?(?<s>[^\s"'&;,\\]+)/g,
  // `"apiKey": "x"`, also within another JSON text
  /\\?["'](?<n>[\w./-]+)\\?["']\s*:\s*\\?["'](?<s>[^"'\\]+)/g,
  // `["--api-key", "x"]` as text
  /\\?["']--?(?<n>[\w.-]+)\\?["']\s*,\s*\\?["'](?<s>[^"'\\]+)/g,
  // `{"name":"DB_PASS","value":"x"}` as text
  /\\?["']name\\?["']\s*:\s*\\?["'](?<n>[^"'\\]+)\\?["']\s*,\s*\\?["']value\\?["']\s*:\s*\\?["'](?<s>[^"'\\]+)/g,
];

/** `token: x` and `password = x` in a file; in the sentences of a status, a word before a colon is no name. */
const settings = /^[ \t]*(?:- |export )?["']?(?<n>[\w./-]+)["']?[ \t]*[:=][ \t]*(?<q>["']?)(?<s>[^\s"'#][^\n"']*)/gm;

/**
 * A copy without credentials: the content of Secrets, values under names and in forms of credentials, and every other place where one of
 * those values is repeated. What a person applied last is left out, because it repeats all of it.
 */
export function redact<T>(value: T): T {
  const found = new Set<string>();
  const masked = mask(value as Json, found);
  const values = [...found].filter((text) => text.length >= 6).sort((a, b) => b.length - a.length);
  return replaceAll(masked, values) as T;
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
    const hides = typeof inner === "string" && (isSecretName(key) || (isVariable && key === "value"));
    return [[key, hides ? hide(inner, found) : mask(inner as Json, found)]];
  });
  return Object.fromEntries(entries);
}

/** An argument behind a flag such as `--api-key`. */
function maskItem(item: Json, before: Json | undefined, found: Set<string>): Json {
  const isValue = typeof before === "string" && before.startsWith("-") && isSecretName(before.replace(/^-+/, ""));
  return isValue && typeof item === "string" ? hide(item, found) : mask(item, found);
}

function maskContent(content: Json, found: Set<string>): Json {
  if (!isObject(content)) return mark;
  const masked: JsonObject = {};
  for (const [key, inner] of Object.entries(content)) {
    const text = String(inner);
    found.add(text);
    for (const word of decode(text).split(/[\s"']+/)) found.add(word);
    masked[key] = btoa(mark);
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

/** A variable that refers to another one, or a template, has no value of its own. */
const isReference = (text: string): boolean => /^\$(?:\([^)]+\)|\{[^}]+\}|[A-Z_]+)$|^\{\{.*\}\}$/.test(text);

function hide(text: string, found: Set<string>): string {
  if (text === "" || isReference(text)) return text;
  found.add(text);
  return mark;
}

function maskText(text: string, found: Set<string>): string {
  const masked = forms.reduce(
    (rest, form) => rest.replace(form, (whole, secret) => hideIn(whole, secret, found)),
    text,
  );
  const all = text.includes("\n") ? [...pairs, settings] : pairs;
  return all.reduce((rest, pair) => maskPairs(rest, pair, found), masked);
}

const maskPairs = (text: string, pair: RegExp, found: Set<string>): string =>
  text.replace(pair, (whole, ...groups) => {
    const { n, s } = groups.at(-1) as { readonly n: string; readonly s: string };
    return isSecretName(n) && s !== mark && !isReference(s) ? hideIn(whole, s, found) : whole;
  });

/** The name comes first, so the last place is that of the value. */
function hideIn(whole: string, secret: string, found: Set<string>): string {
  const at = whole.lastIndexOf(secret);
  found.add(secret);
  return `${whole.slice(0, at)}${mark}${whole.slice(at + secret.length)}`;
}

/** Files of a ConfigMap: each is a setting by its name, or text that has settings. */
function maskFiles(files: Json, found: Set<string>): Json {
  if (!isObject(files)) return mask(files, found);
  const entries = Object.entries(files).map(([name, text]): [string, Json] => {
    if (typeof text !== "string") return [name, mask(text as Json, found)];
    return [name, isSecretName(name) ? hide(text, found) : maskPairs(maskText(text, found), settings, found)];
  });
  return Object.fromEntries(entries);
}

function replaceAll(value: Json, values: readonly string[]): Json {
  if (typeof value === "string") return values.reduce((rest, one) => rest.replaceAll(one, mark), value);
  if (Array.isArray(value)) return value.map((item) => replaceAll(item as Json, values));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, replaceAll(inner as Json, values)]));
}
