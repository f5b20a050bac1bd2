import { compareVersions, type Ordered, parseSemanticVersion } from "./version.ts";

/**
 * Which versions will do. Plain order: a prerelease satisfies `>=` of what it comes after, as `0.8.1-rc1` does `>=0.8.0`; no version is
 * left out for being a prerelease.
 */
export type Constraint = (version: Ordered) => boolean;

const longest = 512;
const operator = /^(>=|<=|=>|=<|!=|==|>|<|=|~>|~|\^)?(.*)$/s;

/** Reads comparators joined by blanks or commas (all must hold) and `||` (one group must). Nothing where it cannot be read. */
export function parseConstraint(text: string): Constraint | undefined {
  if (text.length > longest) return undefined;
  const groups = text.split("||").map(parseGroup);
  if (groups.some((group) => group === undefined)) return undefined;
  return (version) => groups.some((group) => group?.(version) === true);
}

function parseGroup(text: string): Constraint | undefined {
  const joined = text.trim().replace(/([<>=!~^]+)\s+/g, "$1");
  const range = /^(\S+)\s+-\s+(\S+)$/.exec(joined);
  const words = range === null ? joined.split(/[\s,]+/) : [`>=${range[1]}`, `<=${range[2]}`];
  const comparators = words.map(parseComparator);
  if (comparators.some((one) => one === undefined)) return undefined;
  return (version) => comparators.every((one) => one?.(version) === true);
}

function parseComparator(text: string): Constraint | undefined {
  const [, sign = "", rest = ""] = operator.exec(text) ?? [];
  const wanted = parsePartial(rest);
  if (wanted === undefined || (text === "" && sign === "")) return undefined;
  const { floor, next } = wanted;
  const from: Constraint = (version) => compareVersions(version, floor) >= 0;
  const below = (limit: Ordered | undefined): Constraint =>
    limit === undefined ? () => true : (version) => compareVersions(version, beforeAll(limit)) < 0;
  const within = (limit: Ordered | undefined): Constraint => {
    const isBelow = below(limit);
    return (version) => from(version) && isBelow(version);
  };
  switch (sign) {
    case "":
    case "=":
    case "==":
      return wanted.isWhole ? (version) => compareVersions(version, floor) === 0 : within(next);
    case "!=": {
      const isIt = wanted.isWhole ? (version: Ordered) => compareVersions(version, floor) === 0 : within(next);
      return (version) => !isIt(version);
    }
    case ">":
      return wanted.isWhole
        ? (version) => compareVersions(version, floor) > 0
        : next === undefined
          ? () => false
          : (version) => compareVersions(version, next) >= 0;
    case ">=":
    case "=>":
      return from;
    case "<":
      return (version) => compareVersions(version, floor) < 0;
    case "<=":
    case "=<":
      return wanted.isWhole ? (version) => compareVersions(version, floor) <= 0 : below(next);
    case "~":
    case "~>":
      return within(wanted.parts >= 2 ? bumped(floor, 1) : wanted.parts === 1 ? bumped(floor, 0) : undefined);
    case "^":
      return within(wanted.parts === 0 ? undefined : caretLimit(floor, wanted.parts));
    default:
      return undefined;
  }
}

interface Partial {
  readonly floor: Ordered;
  /** The first version that is no longer meant; nothing where all are. */
  readonly next: Ordered | undefined;
  readonly parts: number;
  readonly isWhole: boolean;
}

/** `1`, `1.2`, `1.2.3-rc1`, `1.x`, `*`: what is left out is zero. */
function parsePartial(text: string): Partial | undefined {
  const bare = text.replace(/^v/i, "");
  const whole = parseSemanticVersion(bare);
  if (whole !== undefined) return { floor: whole, next: undefined, parts: 3, isWhole: true };
  const match = /^(?:(\d{1,18})|[xX*])(?:\.(?:(\d{1,18})|[xX*]))?(?:\.(?:(\d{1,18})|[xX*]))?$/.exec(bare);
  if (match === null) return undefined;
  const given = match.slice(1);
  const gap = given.indexOf(undefined as unknown as string);
  const parts = gap < 0 ? 3 : gap;
  const [major = 0n, minor = 0n, patch = 0n] = given.slice(0, parts).map((part) => BigInt(part ?? 0));
  const floor: Ordered = { numbers: [major, minor, patch], prerelease: [] };
  return { floor, next: parts === 0 ? undefined : bumped(floor, parts - 1), parts, isWhole: false };
}

function bumped({ numbers: [major, minor, patch] }: Ordered, place: number): Ordered {
  if (place <= 0) return { numbers: [major + 1n, 0n, 0n], prerelease: [] };
  if (place === 1) return { numbers: [major, minor + 1n, 0n], prerelease: [] };
  return { numbers: [major, minor, patch + 1n], prerelease: [] };
}

/** The first number that is not zero stays; of zeros alone, the last one that was written. */
function caretLimit(floor: Ordered, parts: number): Ordered {
  const first = floor.numbers.findIndex((number) => number !== 0n);
  return bumped(floor, first < 0 ? parts - 1 : first);
}

/** Prereleases of the limit are newer than what is meant, so the range ends before them: `^1.0.0` has no `2.0.0-rc1`. */
function beforeAll({ numbers }: Ordered): Ordered {
  return { numbers, prerelease: ["0"] };
}
