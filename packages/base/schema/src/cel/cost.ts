import type { CelType } from "./types.ts";

/**
 * What an expression may cost at worst, before anything runs: the real server's model, so that a rule it accepts is accepted
 * here and the other way round. One for each name and field, ten for a list, thirty for a map, a tenth for each character
 * read, and the body of a loop as often as the list can be long.
 */
export const listCost = 10;
export const mapCost = 30;

const scalars: ReadonlySet<string> = new Set(["bool", "int", "uint", "double", "duration", "timestamp"]);

/** The largest size of values of a type; without a bound where nothing bounds it. */
export function sizeOf(type: CelType): number {
  if (type.most !== undefined) return type.most;
  if (type.is === "optional") return sizeOf(type.of);
  return scalars.has(type.is) ? 1 : Number.POSITIVE_INFINITY;
}

/** Zero times anything is nothing, even times what has no bound. */
export const times = (count: number, cost: number) => (count === 0 || cost === 0 ? 0 : Math.ceil(count * cost));

export interface Price {
  readonly cost: number;
  /** The largest size of the result, where it is known. */
  readonly size?: number | undefined;
}

const text = 0.1;
const pattern = 0.25;

/** The price of a call without its arguments. Methods have their target as first argument. */
export function priceOf(name: string, args: readonly CelType[]): Price {
  const [a = 1, b = 1, c = 1] = args.map(sizeOf);
  switch (name) {
    case "_==_":
    case "_!=_":
    case "_<_":
    case "_<=_":
    case "_>_":
    case "_>=_":
      return { cost: priceOfComparison(name, args) };
    case "@in":
      return { cost: args[1]?.is === "map" ? 1 : b };
    case "_+_":
      return priceOfAddition(args[0], a + b);
    case "matches":
      return { cost: times(times(a + 1, text), times(b, pattern)) };
    case "find":
    case "findAll":
      return { cost: times(times(a + 1, text), times(b, pattern)), size: a };
    case "contains":
      return { cost: times(times(a, text), times(b, text)) };
    case "startsWith":
    case "endsWith":
      return { cost: times(b, text) };
    case "isSorted":
    case "sum":
    case "min":
    case "max":
    case "indexOf":
    case "lastIndexOf":
      return { cost: priceOfWalk(args[0], a) };
    case "lowerAscii":
    case "upperAscii":
    case "substring":
    case "trim":
    case "url":
      return { cost: times(a, text), size: a };
    case "replace":
      return { cost: times(a, 2 * text), size: a + times(a + 1, c) };
    case "split":
      return { cost: times(a, 2 * text), size: a };
    case "join": {
      const element = args[0]?.is === "list" ? sizeOf(args[0].of) : Number.POSITIVE_INFINITY;
      const size = times(a, element) + (args.length > 1 ? times(Math.max(0, a - 1), b) : 0);
      return { cost: times(size, text), size };
    }
    case "format":
      return { cost: times(a, text) };
    case "dyn":
      return { cost: 1, size: a };
    case "quantity":
    case "isQuantity":
    case "semver":
    case "isSemver":
    case "cidr":
    case "isIP":
    case "isCIDR":
      return { cost: times(a, text) };
    case "ip":
      return { cost: args[0]?.is === "net.CIDR" ? 1 : times(a, text) };
    case "ip.isCanonical":
      return { cost: times(a, 2 * text) };
    case "validate":
      return { cost: times(times(b, text), 32) };
    case "sets.contains":
    case "sets.intersects":
      return { cost: times(a, b) + 1 };
    case "sets.equivalent":
      return { cost: times(times(a, b), 2) + 1 };
    case "string":
    case "bytes":
      return args[0]?.is === "string" || args[0]?.is === "bytes" ? { cost: times(a, text), size: a * 4 } : { cost: 1 };
    default:
      return { cost: 1 };
  }
}

function priceOfComparison(name: string, [left, right]: readonly CelType[]): number {
  const isOrder = name !== "_==_" && name !== "_!=_";
  if (left === undefined || right === undefined) return 1;
  if (isOrder && left.is !== "string" && left.is !== "bytes") return 1;
  if (left.is.startsWith("net.") || left.is.startsWith("kubernetes.")) return 1;
  return times(Math.min(sizeOf(left), sizeOf(right)), text);
}

function priceOfAddition(left: CelType | undefined, size: number): Price {
  if (left?.is === "list") return { cost: 1, size };
  return left?.is === "string" || left?.is === "bytes" ? { cost: times(size, text), size } : { cost: 1 };
}

function priceOfWalk(target: CelType | undefined, size: number): number {
  if (target?.is !== "list") return times(size, text);
  const isText = target.of.is === "string" || target.of.is === "bytes";
  return times(size, 1 + (isText ? times(sizeOf(target.of), text) : 0));
}
