/** A semantic version. Numbers are as large as anybody writes them. */
export interface Version {
  readonly numbers: readonly [bigint, bigint, bigint];
  readonly prerelease: readonly string[];
}

const form =
  /^v?(0|[1-9]\d{0,17})\.(0|[1-9]\d{0,17})\.(0|[1-9]\d{0,17})(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+[0-9A-Za-z.-]+)?$/;

/** The version that a tag names, with or without a leading `v`; nothing where it names none. */
export function parseVersion(text: string): Version | undefined {
  if (text.length > 256) return undefined;
  const match = form.exec(text);
  if (match === null) return undefined;
  const [, major = "0", minor = "0", patch = "0", label] = match;
  const prerelease = label === undefined ? [] : label.split(".");
  if (prerelease.some((part) => /^0\d+$/.test(part))) return undefined;
  return { numbers: [BigInt(major), BigInt(minor), BigInt(patch)], prerelease };
}

/** Negative, zero or positive. A prerelease comes before its release, and builds do not count. */
export function compareVersions(a: Version, b: Version): number {
  for (const [i, left] of a.numbers.entries()) {
    const right = b.numbers[i] ?? 0n;
    if (left !== right) return left < right ? -1 : 1;
  }
  return comparePrereleases(a.prerelease, b.prerelease);
}

function comparePrereleases(a: readonly string[], b: readonly string[]): number {
  if (a.length === 0 || b.length === 0) return a.length === b.length ? 0 : a.length === 0 ? 1 : -1;
  for (let i = 0; i < Math.min(a.length, b.length); i += 1) {
    const order = comparePart(a[i] ?? "", b[i] ?? "");
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

/** Numbers before words, numbers by value, words by letter. */
function comparePart(a: string, b: string): number {
  const [left, right] = [/^\d+$/.test(a), /^\d+$/.test(b)];
  if (left && right) {
    const [x, y] = [BigInt(a), BigInt(b)];
    return x === y ? 0 : x < y ? -1 : 1;
  }
  if (left !== right) return left ? -1 : 1;
  return a === b ? 0 : a < b ? -1 : 1;
}
