import { isEqual, listHas, order } from "../compare.ts";
import type { Meter } from "../meter.ts";
import { CelError, Duration, List, type Mapping, Uint, type Value } from "../values.ts";
import { toInt, toUint } from "./operators.ts";
import { named, type Overload, overload } from "./signature.ts";

const sortable = ["int", "uint", "double", "bool", "duration", "timestamp", "string", "bytes"];

const walk = (list: List, meter: Meter) => {
  meter.spend(list.size);
  return list.toArray();
};

function isSorted(list: List, meter: Meter): boolean {
  const items = walk(list, meter);
  return items.every((item, index) => index === 0 || (order(items[index - 1] as Value, item) ?? 1) <= 0);
}

function extreme(list: List, sign: 1 | -1, meter: Meter): Value {
  const items = walk(list, meter);
  if (items.length === 0) throw new CelError(`${sign < 0 ? "min" : "max"} called on empty list`);
  return items.reduce((best, item) => ((order(item, best) ?? 0) * sign > 0 ? item : best));
}

function sum(list: List, zero: Value, meter: Meter): Value {
  return walk(list, meter).reduce((total, item) => {
    if (typeof total === "bigint") return toInt(total + (item as bigint));
    if (typeof total === "number") return total + (item as number);
    if (total instanceof Uint) return toUint(total.value + (item as Uint).value);
    return new Duration((total as Duration).nanos + (item as Duration).nanos);
  }, zero);
}

function indexOf(list: List, wanted: Value, meter: Meter): bigint {
  return BigInt(walk(list, meter).findIndex((item) => isEqual(item, wanted, meter)));
}

function lastIndexOf(list: List, wanted: Value, meter: Meter): bigint {
  return BigInt(walk(list, meter).findLastIndex((item) => isEqual(item, wanted, meter)));
}

function slice(list: List, start: bigint, end: bigint, meter: Meter): List {
  if (start < 0n || end < 0n) throw new CelError(`cannot slice(${start}, ${end}), negative indexes not supported`);
  if (start > end)
    throw new CelError(`cannot slice(${start}, ${end}), start index must be less than or equal to end index`);
  if (end > BigInt(list.size)) throw new CelError(`cannot slice(${start}, ${end}), list is length ${list.size}`);
  return List.of(walk(list, meter).slice(Number(start), Number(end)));
}

function flatten(list: List, depth: number, meter: Meter): Value[] {
  if (depth < 0) throw new CelError("level must be non-negative");
  return walk(list, meter).flatMap((item) =>
    item instanceof List && depth > 0 ? flatten(item, depth - 1, meter) : [item],
  );
}

function distinct(list: List, meter: Meter): List {
  const kept: Value[] = [];
  for (const item of walk(list, meter)) if (!listHas(List.of(kept), item, meter)) kept.push(item);
  return List.of(kept);
}

export function sorted(items: Value[], meter: Meter, key: (item: Value) => Value = (item) => item): List {
  meter.spend(items.length * Math.ceil(Math.log2(items.length + 2)));
  return List.of([...items].sort((a, b) => order(key(a), key(b)) ?? 0));
}

function range(count: bigint, meter: Meter): List {
  if (count > 1_000_000n) throw new CelError(`lists.range(${count}) is too long`);
  meter.spend(Number(count));
  return new List(Math.max(0, Number(count)), (index) => BigInt(index));
}

const isWithin = (list: List, other: List, meter: Meter) =>
  walk(other, meter).every((item) => listHas(list, item, meter));

const zeros: Readonly<Record<string, Value>> = { int: 0n, uint: new Uint(0n), double: 0, duration: new Duration(0n) };

export const lists: readonly Overload[] = [
  overload("size(list<T>): int", (list: List) => BigInt(list.size)),
  overload("list<T>.size(): int", (list: List) => BigInt(list.size)),
  overload("size(map<K, V>): int", (map: Mapping) => BigInt(map.keys.length)),
  overload("map<K, V>.size(): int", (map: Mapping) => BigInt(map.keys.length)),
  ...sortable.flatMap((type) => [
    overload(`list<${type}>.isSorted(): bool`, isSorted),
    overload(`list<${type}>.min(): ${type}`, (list: List, meter: Meter) => extreme(list, -1, meter)),
    overload(`list<${type}>.max(): ${type}`, (list: List, meter: Meter) => extreme(list, 1, meter)),
    overload(`list<${type}>.sort(): list<${type}>`, (list: List, meter: Meter) => sorted(walk(list, meter), meter)),
  ]),
  ...Object.entries(zeros).map(([type, zero]) =>
    overload(`list<${type}>.sum(): ${type}`, (list: List, meter: Meter) => sum(list, zero, meter)),
  ),
  overload("list<T>.indexOf(T): int", indexOf),
  overload("list<T>.lastIndexOf(T): int", lastIndexOf),
  overload("list<T>.slice(int, int): list<T>", slice),
  overload("list<T>.flatten(): list<dyn>", (list: List, meter: Meter) => List.of(flatten(list, 1, meter))),
  overload("list<T>.flatten(int): list<dyn>", (list: List, depth: bigint, meter: Meter) =>
    List.of(flatten(list, Number(depth), meter)),
  ),
  overload("list<T>.distinct(): list<T>", distinct),
  overload("list<T>.reverse(): list<T>", (list: List, meter: Meter) => List.of(walk(list, meter).reverse())),
  named("lists.range", "(int): list<int>", range),
  named("sets.contains", "(list<T>, list<T>): bool", isWithin),
  named(
    "sets.equivalent",
    "(list<T>, list<T>): bool",
    (a: List, b: List, meter: Meter) => isWithin(a, b, meter) && isWithin(b, a, meter),
  ),
  named("sets.intersects", "(list<T>, list<T>): bool", (a: List, b: List, meter: Meter) =>
    walk(b, meter).some((item) => listHas(a, item, meter)),
  ),
];
