import type { Meter } from "../meter.ts";
import { type CelType, type SimpleType, simple } from "../types.ts";
import type { Value } from "../values.ts";

/** One way to call a function: for which types, and what it does. The target of a method is its first argument. */
export interface Overload {
  readonly name: string;
  readonly isMethod: boolean;
  readonly params: readonly CelType[];
  readonly result: CelType;
  readonly run: (args: readonly Value[], meter: Meter) => Value;
}

const shortNames: Readonly<Record<string, SimpleType>> = {
  Quantity: "kubernetes.Quantity",
  URL: "kubernetes.URL",
  Semver: "kubernetes.Semver",
  Format: "kubernetes.NamedFormat",
  IP: "net.IP",
  CIDR: "net.CIDR",
  null: "null_type",
};

// biome-ignore lint/suspicious/noExplicitAny: the signature beside it says which values come in
type Handler = (...args: any[]) => Value;

/**
 * Reads a signature: `size(string): int` for a function, `string.startsWith(string): bool` for a method; capital letters
 * stand for any type. The handler is given the arguments and, last, the meter.
 */
export function overload(signature: string, run: Handler): Overload {
  const match = /^(?:(.+?)\.)?([@\w.!?:[\]+\-*/%<>=&|]+)\((.*)\): (.+)$/.exec(signature);
  if (!match) throw new Error(`not a signature: ${signature}`);
  const [, target, name = "", args = "", result = ""] = match;
  const params = [...(target === undefined ? [] : [target]), ...splitTypes(args)].map(readType);
  return {
    name,
    isMethod: target !== undefined,
    params,
    result: readType(result),
    run: (values, meter) => run(...values, meter),
  };
}

/** The same function as a plain call where its name has a dot that is no method call. */
export function named(name: string, signature: string, run: Handler): Overload {
  return { ...overload(`f${signature}`, run), name };
}

function splitTypes(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let part = "";
  for (const character of text) {
    if (character === "<") depth++;
    if (character === ">") depth--;
    if (character === "," && depth === 0) {
      parts.push(part.trim());
      part = "";
    } else part += character;
  }
  return part.trim() === "" ? parts : [...parts, part.trim()];
}

function readType(text: string): CelType {
  const generic = /^(list|map|optional)<(.+)>$/.exec(text);
  if (generic) {
    const inner = splitTypes(generic[2] as string).map(readType);
    const [first, second] = inner as [CelType, CelType];
    if (generic[1] === "list") return { is: "list", of: first };
    return generic[1] === "optional" ? { is: "optional", of: first } : { is: "map", key: first, value: second };
  }
  if (/^[A-Z]$/.test(text)) return { is: "param", name: text };
  return simple(shortNames[text] ?? (text as SimpleType));
}
