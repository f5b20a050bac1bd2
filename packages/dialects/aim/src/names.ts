import { sha256Hex } from "@trivium/std";

const most = 63;

/** One part of a name: lower case letters, digits and hyphens. */
export function sanitizeName(text: string, limit = most): string {
  const plain = text.toLowerCase().replace(/[^a-z0-9-]/g, "-");
  return trimHyphens(trimHyphens(plain).slice(0, limit));
}

/** The name of an object, which may have dots, unlike a part of a host name; cut at its end, as published names are. */
export function objectName(text: string, limit = most): string {
  const plain = trimDotted(text.toLowerCase().replace(/[^a-z0-9.-]+/g, "-")).replace(/[-.]{2,}/g, "-");
  return trimDotted(plain.slice(0, limit));
}

/** A label value that still looks like what it was made of. */
export function labelValueOf(text: string): string {
  const plain = text.replace(/[^A-Za-z0-9._-]+/g, "_");
  const value = trimLabel(trimLabel(plain).slice(0, most));
  return value === "" ? "unknown" : value;
}

interface DerivedNameOptions {
  readonly digits?: number;
  readonly most?: number;
  /** Whether dots stay: a version in the name of an object is one to read; a part of a host name has none. */
  readonly dots?: "kept" | "replaced";
}

/**
 * Parts joined by hyphens and followed by a hash of what tells objects apart. Where that is too long, the longest part gives way first,
 * never the hash.
 */
export function derivedName(
  parts: readonly string[],
  hashed: readonly unknown[],
  { digits = 8, most: limit = most, dots = "replaced" }: DerivedNameOptions = {},
): string {
  const hash = hashed.length === 0 ? "" : `-${hashOf(hashed).slice(0, digits)}`;
  const sanitize = dots === "kept" ? objectName : sanitizeName;
  const kept = parts.map((part) => sanitize(part, Number.POSITIVE_INFINITY) || "part");
  while (kept.join("-").length + hash.length > limit && kept.some((part) => part.length > 1)) shortenLongest(kept);
  return `${kept.join("-")}${hash}`;
}

export const hashOf = (hashed: readonly unknown[]): string => sha256Hex(hashed.map(plainJson).join("|"));

/** `text` cut so that `rest` fits behind it, without dots, so that pods can be named after it. */
export function nameBefore(text: string, rest: string): string {
  return `${trimHyphens(sanitizeName(text, most - rest.length))}${rest}`;
}

/** The same for objects whose names have dots. */
export function objectNameBefore(text: string, rest: string): string {
  return `${objectName(text, Math.max(1, most - rest.length))}${rest}`;
}

function shortenLongest(parts: string[]): void {
  const longest = Math.max(...parts.map(({ length }) => length));
  const at = parts.findIndex(({ length }) => length === longest);
  parts[at] = (parts[at] ?? "").slice(0, -1).replace(/[-.]+$/, "") || "p";
}

/** As JSON; of a map its entries in the order of their keys. */
function plainJson(value: unknown): string {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return JSON.stringify(value ?? null);
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify(entries);
}

function trimHyphens(text: string): string {
  return text.replace(/^-+/, "").replace(/-+$/, "");
}

function trimDotted(text: string): string {
  return text.replace(/^[-.]+/, "").replace(/[-.]+$/, "");
}

function trimLabel(text: string): string {
  return text.replace(/^[_.-]+/, "").replace(/[_.-]+$/, "");
}
