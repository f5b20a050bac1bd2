import type { Overload } from "./library/index.ts";
import type { CelType } from "./types.ts";
import { Duration, List, Mapping, Opaque, Optional, Timestamp, TypeValue, Uint, type Value } from "./values.ts";

export type Bindings = Map<string, CelType>;

/** Whether values of type `actual` may be given where `wanted` is declared. */
export function accepts(wanted: CelType, actual: CelType, bindings: Bindings): boolean {
  if (wanted.is === "param") return bind(wanted.name, actual, bindings);
  if (wanted.is === "dyn" || actual.is === "dyn") return true;
  if (wanted.is === "list") return actual.is === "list" && accepts(wanted.of, actual.of, bindings);
  if (wanted.is === "optional") return actual.is === "optional" && accepts(wanted.of, actual.of, bindings);
  if (wanted.is === "map") {
    return (
      actual.is === "map" && accepts(wanted.key, actual.key, bindings) && accepts(wanted.value, actual.value, bindings)
    );
  }
  return wanted.is === actual.is;
}

function bind(name: string, actual: CelType, bindings: Bindings): boolean {
  const bound = bindings.get(name);
  if (bound === undefined) {
    bindings.set(name, actual);
    return true;
  }
  const joined = join(bound, actual);
  if (joined !== undefined) bindings.set(name, joined);
  return joined !== undefined;
}

const nullable: ReadonlySet<CelType["is"]> = new Set<CelType["is"]>(["object", "timestamp", "duration", "optional"]);

/** The type of both, or undefined where there is none. Empty lists fit every list. */
export function join(a: CelType, b: CelType): CelType | undefined {
  if (a.is === "dyn" || b.is === "dyn") return a.is === "dyn" ? a : b;
  if (a.is === "param") return b;
  if (b.is === "param") return a;
  if (a.is === "null_type" && nullable.has(b.is)) return b;
  if (b.is === "null_type" && nullable.has(a.is)) return a;
  const most = a.most === undefined || b.most === undefined ? {} : { most: Math.max(a.most, b.most) };
  if (a.is === "list" && b.is === "list") return joined(join(a.of, b.of), (of) => ({ is: "list", of, ...most }));
  if (a.is === "optional" && b.is === "optional") return joined(join(a.of, b.of), (of) => ({ is: "optional", of }));
  if (a.is === "map" && b.is === "map") {
    const key = join(a.key, b.key);
    return joined(join(a.value, b.value), (value) =>
      key === undefined ? undefined : { is: "map", key, value, ...most },
    );
  }
  if (a.is === "object" && b.is === "object") return isSameObject(a, b) ? a : undefined;
  return a.is === b.is ? ({ ...a, ...most } as CelType) : undefined;
}

const joined = (inner: CelType | undefined, make: (inner: CelType) => CelType | undefined) =>
  inner === undefined ? undefined : make(inner);

/** Object types are made once for each schema, but shared schemas may be copied: equal field names count as the same. */
function isSameObject(a: CelType & { is: "object" }, b: CelType & { is: "object" }): boolean {
  if (a.fields === b.fields) return true;
  const left = a.fields();
  const right = b.fields();
  return left.size === right.size && [...left.keys()].every((name) => right.has(name));
}

/** A declared type with the parameters filled in. */
export function fill(type: CelType, bindings: Bindings): CelType {
  switch (type.is) {
    case "param":
      return bindings.get(type.name) ?? type;
    case "list":
      return { is: "list", of: fill(type.of, bindings) };
    case "optional":
      return { is: "optional", of: fill(type.of, bindings) };
    case "map":
      return { is: "map", key: fill(type.key, bindings), value: fill(type.value, bindings) };
    default:
      return type;
  }
}

/** Whether a value fits a declared type: used where types are known only when the rule runs. */
export function fits(type: CelType, value: Value): boolean {
  switch (type.is) {
    case "dyn":
    case "param":
      return true;
    case "list":
      return value instanceof List && (value.size === 0 || fits(type.of, value.at(0)));
    case "map":
      return value instanceof Mapping;
    case "optional":
      return value instanceof Optional;
    case "bool":
      return typeof value === "boolean";
    case "int":
      return typeof value === "bigint";
    case "double":
      return typeof value === "number";
    case "uint":
      return value instanceof Uint;
    case "string":
      return typeof value === "string";
    case "bytes":
      return value instanceof Uint8Array;
    case "timestamp":
      return value instanceof Timestamp;
    case "duration":
      return value instanceof Duration;
    case "null_type":
      return value === null;
    case "type":
      return value instanceof TypeValue;
    case "object":
      return value instanceof Mapping;
    default:
      return value instanceof Opaque && value.type === type.is;
  }
}

/** The overloads that a call with these types may mean. */
export function matching(
  candidates: readonly Overload[],
  args: readonly CelType[],
): { overload: Overload; result: CelType }[] {
  return candidates.flatMap((overload) => {
    if (overload.params.length !== args.length) return [];
    const bindings: Bindings = new Map();
    const isRight = overload.params.every((param, index) => accepts(param, args[index] as CelType, bindings));
    return isRight ? [{ overload, result: fill(overload.result, bindings) }] : [];
  });
}
