/** A version as runtimes and models write it: one to three numbers, and after the third what says that it is no release. */
export interface Version {
  readonly numbers: readonly [major: number, minor: number, patch: number];
  /** How many of the numbers were written. */
  readonly precision: number;
  readonly hasPrefix: boolean;
  /** What follows `-`, `+` and `.`, or nothing. */
  readonly pre: string;
  readonly build: string;
  readonly dev: string;
}

export type VersionOperator = "Equal" | "GreaterThan" | "GreaterThanOrEqual";

/** No leading zeros; numbers that are no longer exact are no versions. */
const wholeNumber = /^(?:0|[1-9]\d{0,14})$/;

/** Catalogues have few versions and are asked for them all the time: what was read once is kept. */
const read = new Map<string, Version | undefined>();
const maxRead = 1_000;

/** Nothing for a text that is no version. */
export function parseVersion(text: string): Version | undefined {
  if (read.has(text)) return read.get(text);
  if (read.size >= maxRead) read.clear();
  const version = readVersion(text);
  read.set(text, version);
  return version;
}

function readVersion(text: string): Version | undefined {
  const hasPrefix = text.startsWith("v");
  const [major = "", minor, ...others] = (hasPrefix ? text.slice(1) : text).split(".");
  const third = others.length === 0 ? undefined : others.join(".");
  const [beforeBuild, build] = cut(third ?? "0", "+");
  const [beforePre, pre] = cut(beforeBuild, "-");
  const [patch, dev] = cut(beforePre, ".");
  const parts = [major, minor ?? "0", patch];
  const isEmptyMark = [build, pre, dev].some((mark) => mark === "");
  if (isEmptyMark || !parts.every((part) => wholeNumber.test(part))) return undefined;
  if (dev !== undefined && !dev.startsWith("dev")) return undefined;
  const precision = minor === undefined ? 1 : third === undefined ? 2 : 3;
  return {
    numbers: [Number(parts[0]), Number(parts[1]), Number(parts[2])],
    precision,
    hasPrefix,
    pre: pre ?? "",
    build: build ?? "",
    dev: dev ?? "",
  };
}

function cut(text: string, mark: string): [before: string, after: string | undefined] {
  const at = text.indexOf(mark);
  return at === -1 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

const isOfficial = ({ pre, build, dev }: Version): boolean => pre === "" && build === "" && dev === "";

/** Negative, zero or positive. Among versions of the same numbers a release is the newest; marks go by their text. */
export function compareVersions(a: Version, b: Version): number {
  for (const at of [0, 1, 2] as const) {
    const difference = a.numbers[at] - b.numbers[at];
    if (difference !== 0) return difference;
  }
  return compareMarks(a.pre, b.pre) || compareMarks(a.dev, b.dev) || compareText(a.build, b.build);
}

/** Whoever has no such mark comes after whoever has one. */
function compareMarks(a: string, b: string): number {
  if (a === b) return 0;
  if (a === "") return 1;
  return b === "" ? -1 : compareText(a, b);
}

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/**
 * Whether a runtime's version takes a model's. What is no release is taken only by itself. An order needs both to be written alike: the
 * same precision, and the prefix on both or on neither.
 */
export function takesVersion(runtime: string, model: string, operator: VersionOperator = "Equal"): boolean {
  const [ours, theirs] = [parseVersion(runtime), parseVersion(model)];
  if (ours === undefined || theirs === undefined) return false;
  const order = compareVersions(ours, theirs);
  if (operator === "Equal" || !isOfficial(ours) || !isOfficial(theirs)) return order === 0;
  if (ours.precision !== theirs.precision || ours.hasPrefix !== theirs.hasPrefix) return false;
  return operator === "GreaterThan" ? order > 0 : order >= 0;
}
