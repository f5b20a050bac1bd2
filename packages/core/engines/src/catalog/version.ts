/** A version as tags, runtimes and models write it: one to three numbers, and what marks it as not a release. */
export interface Version {
  readonly numbers: readonly [major: bigint, minor: bigint, patch: bigint];
  /** How many of the numbers were written. */
  readonly precision: 1 | 2 | 3;
  /** Whether a `v` comes before them. */
  readonly hasPrefix: boolean;
  /** What follows `-`, in its parts; empty for a release. */
  readonly prerelease: readonly string[];
  /** What follows `+`, and a last part such as `dev0`; empty where there is none. */
  readonly build: string;
  readonly dev: string;
}

/** What decides which of two versions is newer. */
export type Ordered = Pick<Version, "numbers" | "prerelease"> & Partial<Pick<Version, "dev">>;

const wholeNumber = /^(?:0|[1-9]\d{0,17})$/;

/** Catalogs have few versions and compare them often: what was parsed once is kept. */
const parsed = new Map<string, Version | undefined>();
const maxParsed = 1_000;
const longest = 256;

/** `1`, `v1.2`, `1.2.3-rc.1+build`, `4.51.0.dev0`; nothing for a text that is not a version. */
export function parseVersion(text: string): Version | undefined {
  if (text.length > longest) return undefined;
  if (parsed.has(text)) return parsed.get(text);
  if (parsed.size >= maxParsed) parsed.clear();
  const version = readVersion(text);
  parsed.set(text, version);
  return version;
}

const semantic = /^v?\d+\.\d+\.\d+(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+[0-9A-Za-z.-]+)?$/;

/** The same for what keeps to the rules of semantic versions: three numbers, and no other marks. */
export function parseSemanticVersion(text: string): Version | undefined {
  const match = text.length > longest ? null : semantic.exec(text);
  if (match === null || match[1]?.split(".").some((part) => /^0\d+$/.test(part))) return undefined;
  return parseVersion(text);
}

function readVersion(text: string): Version | undefined {
  const hasPrefix = text.startsWith("v");
  const [major = "", minor, ...others] = (hasPrefix ? text.slice(1) : text).split(".");
  const third = others.length === 0 ? undefined : others.join(".");
  const [beforeBuild, build] = cut(third ?? "0", "+");
  const [beforePre, pre] = cut(beforeBuild, "-");
  const [patch, dev] = cut(beforePre, ".");
  const parts = [major, minor ?? "0", patch];
  const hasEmptyMark = [build, pre, dev].some((mark) => mark === "");
  if (hasEmptyMark || !parts.every((part) => wholeNumber.test(part))) return undefined;
  if (dev !== undefined && !dev.startsWith("dev")) return undefined;
  return {
    numbers: [BigInt(major), BigInt(minor ?? 0), BigInt(patch)],
    precision: minor === undefined ? 1 : third === undefined ? 2 : 3,
    hasPrefix,
    prerelease: pre?.split(".") ?? [],
    build: build ?? "",
    dev: dev ?? "",
  };
}

function cut(text: string, mark: string): [before: string, after: string | undefined] {
  const at = text.indexOf(mark);
  return at === -1 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

/** A release: nothing marks it as made before or besides one. */
export const isRelease = ({ prerelease, build, dev }: Version): boolean =>
  prerelease.length === 0 && build === "" && dev === "";

/** Negative, zero or positive. A prerelease and a development version come before their release, and builds do not count. */
export function compareVersions(a: Ordered, b: Ordered): number {
  for (let i = 0; i < a.numbers.length; i += 1) {
    const [left = 0n, right = 0n] = [a.numbers[i], b.numbers[i]];
    if (left !== right) return left < right ? -1 : 1;
  }
  return comparePrereleases(a.prerelease, b.prerelease) || compareDev(a.dev ?? "", b.dev ?? "");
}

/** The same, where builds count by their text. */
export const compareBuilds = (a: Version, b: Version): number => compareVersions(a, b) || compareText(a.build, b.build);

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function compareDev(a: string, b: string): number {
  if (a === "" || b === "") return a === b ? 0 : a === "" ? 1 : -1;
  return compareText(a, b);
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
    // `01` and `1` are written differently, so they are not the same version.
    return x === y ? compareText(a, b) : x < y ? -1 : 1;
  }
  if (left !== right) return left ? -1 : 1;
  return compareText(a, b);
}
