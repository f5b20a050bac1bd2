import { isEqual, listHas, order } from "../compare.ts";
import type { Meter } from "../meter.ts";
import { CelError, Duration, elementKey, List, type Mapping, Timestamp, Uint, type Value } from "../values.ts";
import { type Overload, overload } from "./signature.ts";

const smallest = -(2n ** 63n);
const largest = 2n ** 63n - 1n;

export function toInt(value: bigint): bigint {
  if (value < smallest || value > largest) throw new CelError("integer overflow");
  return value;
}

export function toUint(value: bigint): Uint {
  if (value < 0n || value >= 2n ** 64n) throw new CelError("unsigned integer overflow");
  return new Uint(value);
}

const notZero = (value: bigint, what: string) => {
  if (value === 0n) throw new CelError(what);
  return value;
};

const comparable = ["bool", "int", "uint", "double", "string", "bytes", "timestamp", "duration"];
const crossed = ["int, uint", "int, double", "uint, int", "uint, double", "double, int", "double, uint"];

const comparisons: Readonly<Record<string, (difference: number) => boolean>> = {
  "_<_": (difference) => difference < 0,
  "_<=_": (difference) => difference <= 0,
  "_>_": (difference) => difference > 0,
  "_>=_": (difference) => difference >= 0,
};

function comparisonOverloads(): Overload[] {
  return Object.entries(comparisons).flatMap(([name, holds]) =>
    [...comparable.map((type) => `${type}, ${type}`), ...crossed].map((types) =>
      overload(`${name}(${types}): bool`, (a: Value, b: Value, meter: Meter) => {
        if (typeof a === "string") meter.spendText(a.length);
        const difference = order(a, b);
        return difference !== undefined && holds(difference);
      }),
    ),
  );
}

/** Lists that are sets or maps are joined by element, as the data they come from would be. */
function addLists(a: List, b: List, meter: Meter): List {
  meter.spend(1);
  const type = a.schema?.["x-kubernetes-list-type"];
  if (type === "set") {
    const added = b.toArray().filter((item) => !listHas(a, item, meter));
    return joined(a, List.of(added));
  }
  if (type === "map") return mergeListMaps(a, b, meter);
  return joined(a, b);
}

/** Nothing is copied: a list built by adding one element after the other would cost the square of its length. */
const joined = (a: List, b: List) =>
  new List(a.size + b.size, (index) => (index < a.size ? a.at(index) : b.at(index - a.size)), a.schema);

function mergeListMaps(a: List, b: List, meter: Meter): List {
  meter.spend(a.size + b.size);
  const merged = a.toArray();
  const places = new Map(merged.map((_, index) => [elementKey(a, index, a.schema), index]));
  for (let index = 0; index < b.size; index++) {
    const place = places.get(elementKey(b, index, a.schema));
    if (place === undefined) merged.push(b.at(index));
    else merged[place] = b.at(index);
  }
  return new List(merged.length, (index) => merged[index] as Value, a.schema);
}

const joinBytes = (a: Uint8Array, b: Uint8Array, meter: Meter) => {
  meter.spendText(a.length + b.length);
  return Uint8Array.from([...a, ...b]);
};

const plus = (at: Timestamp, by: Duration) => new Timestamp(at.nanos + by.nanos);

const arithmetic: readonly Overload[] = [
  overload("_+_(int, int): int", (a: bigint, b: bigint) => toInt(a + b)),
  overload("_+_(uint, uint): uint", (a: Uint, b: Uint) => toUint(a.value + b.value)),
  overload("_+_(double, double): double", (a: number, b: number) => a + b),
  overload("_+_(string, string): string", (a: string, b: string, meter: Meter) => {
    meter.spendText(a.length + b.length);
    return a + b;
  }),
  overload("_+_(bytes, bytes): bytes", joinBytes),
  overload("_+_(list<T>, list<T>): list<T>", addLists),
  overload("_+_(timestamp, duration): timestamp", plus),
  overload("_+_(duration, timestamp): timestamp", (by: Duration, at: Timestamp) => plus(at, by)),
  overload("_+_(duration, duration): duration", (a: Duration, b: Duration) => new Duration(toInt(a.nanos + b.nanos))),
  overload("_-_(int, int): int", (a: bigint, b: bigint) => toInt(a - b)),
  overload("_-_(uint, uint): uint", (a: Uint, b: Uint) => toUint(a.value - b.value)),
  overload("_-_(double, double): double", (a: number, b: number) => a - b),
  overload("_-_(timestamp, timestamp): duration", (a: Timestamp, b: Timestamp) => new Duration(a.nanos - b.nanos)),
  overload("_-_(timestamp, duration): timestamp", (a: Timestamp, b: Duration) => new Timestamp(a.nanos - b.nanos)),
  overload("_-_(duration, duration): duration", (a: Duration, b: Duration) => new Duration(toInt(a.nanos - b.nanos))),
  overload("_*_(int, int): int", (a: bigint, b: bigint) => toInt(a * b)),
  overload("_*_(uint, uint): uint", (a: Uint, b: Uint) => toUint(a.value * b.value)),
  overload("_*_(double, double): double", (a: number, b: number) => a * b),
  overload("_/_(int, int): int", (a: bigint, b: bigint) => toInt(a / notZero(b, "division by zero"))),
  overload("_/_(uint, uint): uint", (a: Uint, b: Uint) => toUint(a.value / notZero(b.value, "division by zero"))),
  overload("_/_(double, double): double", (a: number, b: number) => a / b),
  overload("_%_(int, int): int", (a: bigint, b: bigint) => a % notZero(b, "modulus by zero")),
  overload("_%_(uint, uint): uint", (a: Uint, b: Uint) => toUint(a.value % notZero(b.value, "modulus by zero"))),
  overload("-_(int): int", (a: bigint) => toInt(-a)),
  overload("-_(double): double", (a: number) => -a),
  overload("!_(bool): bool", (a: boolean) => !a),
];

const access: readonly Overload[] = [
  overload("_==_(T, T): bool", isEqual),
  overload("_!=_(T, T): bool", (a: Value, b: Value, meter: Meter) => !isEqual(a, b, meter)),
  overload("@in(T, list<T>): bool", (wanted: Value, list: List, meter: Meter) => listHas(list, wanted, meter)),
  overload("@in(K, map<K, V>): bool", (key: Value, map: Mapping) => map.get(key) !== undefined),
  overload("_[_](list<T>, int): T", (list: List, index: bigint) => elementAt(list, index)),
  overload("_[_](map<K, V>, K): V", (map: Mapping, key: Value) => valueAt(map, key)),
];

export function elementAt(list: List, index: bigint): Value {
  if (index < 0n || index >= BigInt(list.size)) throw new CelError(`index out of bounds: ${index}`);
  return list.at(Number(index));
}

export function valueAt(map: Mapping, key: Value): Value {
  const value = map.get(key);
  if (value === undefined) throw new CelError(`no such key: ${key instanceof Uint ? key.value : String(key)}`);
  return value;
}

export const operators: readonly Overload[] = [...arithmetic, ...access, ...comparisonOverloads()];
