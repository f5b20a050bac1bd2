const units: Readonly<Record<string, number>> = { "": 1, K: 1e3, M: 1e6, B: 1e9, T: 1e12 };

/** The number of parameters that a text such as `7B` names, or nothing. */
export function parseModelSize(text: string): number | undefined {
  const [, digits, unit = ""] = /^(\d{1,18}(?:\.\d{1,9})?)\s?([KMBT]?)$/i.exec(text.trim()) ?? [];
  return digits === undefined ? undefined : Number(digits) * (units[unit.toUpperCase()] as number);
}

export interface SizeRange {
  readonly min?: string | undefined;
  readonly max?: string | undefined;
}

export type SizeComparison =
  | { readonly is: "open" }
  /** `distance` tells how closely the range is drawn around the size; infinite where an end is open. */
  | { readonly is: "fits"; readonly distance: number }
  | { readonly is: "outside" }
  | { readonly is: "unreadable"; readonly text: string };

/** Both ends belong to the range, and an end that is left out is open. */
export function compareSize(size: string | undefined, range: SizeRange | undefined): SizeComparison {
  if (size === undefined || size === "" || range === undefined) return { is: "open" };
  const count = parseModelSize(size);
  if (count === undefined) return { is: "unreadable", text: size };
  const ends: number[] = [];
  for (const [text, open] of [
    [range.min, 0],
    [range.max, Number.POSITIVE_INFINITY],
  ] as const) {
    const end = text === undefined || text === "" ? open : parseModelSize(text);
    if (end === undefined) return { is: "unreadable", text: text as string };
    ends.push(end);
  }
  const [min = 0, max = 0] = ends;
  if (count < min || count > max) return { is: "outside" };
  const isHalfOpen = !range.min || !range.max;
  return {
    is: "fits",
    distance: isHalfOpen ? Number.POSITIVE_INFINITY : Math.abs(min - count) + Math.abs(max - count),
  };
}

/** `[1B, 70B]`, with an ellipsis for an open end. */
export const formatRange = ({ min, max }: SizeRange): string => `[${min || "…"}, ${max || "…"}]`;
