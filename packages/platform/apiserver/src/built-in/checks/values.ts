import { duplicate, type FieldError, forbidden, invalid, notSupported, required } from "@trivium/schema";
import { deepEqual, faultsOfDnsLabel, faultsOfDnsSubdomain, faultsOfQualifiedName, type Json } from "@trivium/std";

/** One fault for each thing said about a value. */
export const invalidFor = (at: string, value: Json, details: readonly string[]): FieldError[] =>
  details.map((detail) => invalid(at, value, detail));

export const notFound = (at: string, value: Json, detail = ""): FieldError => ({
  reason: "FieldValueNotFound",
  field: at,
  value,
  detail,
});

export function nonNegative(at: string, value: number | undefined): FieldError[] {
  return value !== undefined && value < 0 ? [invalid(at, value, "must be greater than or equal to 0")] : [];
}

export function positive(at: string, value: number | undefined): FieldError[] {
  return value !== undefined && value <= 0 ? [invalid(at, value, "must be greater than 0")] : [];
}

export function between(at: string, value: number | undefined, [low, high]: readonly [number, number]): FieldError[] {
  if (value === undefined || (value >= low && value <= high)) return [];
  return [invalid(at, value, `must be between ${low} and ${high}, inclusive`)];
}

export const requiredText = (at: string, value: string | undefined, detail = ""): FieldError[] =>
  value ? [] : [required(at, detail)];

/** A value out of a few, in the order in which the message lists them. */
export function oneOf(at: string, value: string | undefined, values: readonly string[]): FieldError[] {
  return value === undefined || values.includes(value) ? [] : [notSupported(at, value, values)];
}

export const dnsLabel = (at: string, value: string): FieldError[] => invalidFor(at, value, faultsOfDnsLabel(value));
export const dnsSubdomain = (at: string, value: string): FieldError[] =>
  invalidFor(at, value, faultsOfDnsSubdomain(value));
export const qualifiedName = (at: string, value: string): FieldError[] =>
  invalidFor(at, value, faultsOfQualifiedName(value));

/** A name that must be there and be a DNS label. */
export const requiredLabel = (at: string, value: string | undefined): FieldError[] =>
  value ? dnsLabel(at, value) : [required(at)];

export function immutable(at: string, value: unknown, old: unknown, detail = "field is immutable"): FieldError[] {
  return deepEqual(value, old) ? [] : [invalid(at, (value ?? null) as Json, detail)];
}

export function immutableOnce(at: string, value: unknown, old: unknown, detail: string): FieldError[] {
  return deepEqual(value, old) ? [] : [forbidden(at, detail)];
}

/** Each value that was there before, with what `place` says of where it stands. */
export function unique<T>(
  items: readonly T[],
  key: (item: T) => string,
  place: (index: number) => string,
): FieldError[] {
  const seen = new Set<string>();
  return items.flatMap((item, index) => {
    const name = key(item);
    if (seen.has(name)) return [duplicate(place(index), name)];
    seen.add(name);
    return [];
  });
}

export const portNumber = (at: string, value: number): FieldError[] => between(at, value, [1, 65535]);

export const portNumberOrName = (at: string, value: number | string): FieldError[] =>
  typeof value === "number" ? portNumber(at, value) : invalidFor(at, value, faultsOfPortName(value));

export function faultsOfPortName(name: string): string[] {
  const faults: string[] = [];
  if (name.length > 15) faults.push("must be no more than 15 characters");
  if (!/^[-a-z0-9]+$/.test(name)) faults.push("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
  if (!/[a-z]/.test(name)) faults.push("must contain at least one letter (a-z)");
  if (name.includes("--")) faults.push("must not contain consecutive hyphens");
  if (name.startsWith("-") || name.endsWith("-")) faults.push("must not begin or end with a hyphen");
  return faults;
}

const percentForm =
  "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";

/** A count, or a share of the whole. */
export function countOrPercent(at: string, value: number | string | undefined): FieldError[] {
  if (value === undefined) return [];
  if (typeof value === "number") return nonNegative(at, value);
  return /^[0-9]+%$/.test(value) ? [] : [invalid(at, value, percentForm)];
}

export function notMoreThanWhole(at: string, value: number | string | undefined): FieldError[] {
  const percent = typeof value === "string" ? /^([0-9]+)%$/.exec(value)?.[1] : undefined;
  return percent !== undefined && Number(percent) > 100
    ? [invalid(at, value ?? null, "must not be greater than 100%")]
    : [];
}

export const isZeroCount = (value: number | string | undefined): boolean =>
  value === undefined || value === 0 || Number(/^([0-9]+)%$/.exec(String(value))?.[1] ?? Number.NaN) === 0;
