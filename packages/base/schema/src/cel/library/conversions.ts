import { parseDurationNanos } from "@trivium/std";
import type { Meter } from "../meter.ts";
import {
  CelError,
  Duration,
  List,
  Mapping,
  Opaque,
  Optional,
  parseTimestamp,
  Timestamp,
  TypeValue,
  Uint,
  type Value,
} from "../values.ts";
import { textOf } from "./format.ts";
import { toInt, toUint } from "./operators.ts";
import { named, type Overload, overload } from "./signature.ts";

const cannotConvert = (type: string) => new CelError(`type conversion error from 'string' to '${type}'`);

function wholeOf(text: string, type: string): bigint {
  if (!/^[+-]?\d{1,20}$/.test(text)) throw cannotConvert(type);
  return BigInt(text.replace(/^\+/, ""));
}

function truncate(value: number): bigint {
  if (!Number.isFinite(value) || Math.abs(value) >= 2 ** 63) throw new CelError("integer overflow");
  return BigInt(Math.trunc(value));
}

function doubleOf(text: string): number {
  const value = /^\s*$/.test(text) ? Number.NaN : Number(text);
  if (Number.isNaN(value) && text !== "NaN") throw cannotConvert("double");
  return value;
}

function boolOf(text: string): boolean {
  if (/^(1|t|T|TRUE|true|True)$/.test(text)) return true;
  if (/^(0|f|F|FALSE|false|False)$/.test(text)) return false;
  throw cannotConvert("bool");
}

function durationOf(text: string): Duration {
  const nanos = parseDurationNanos(text);
  if (nanos === undefined) throw cannotConvert("google.protobuf.Duration");
  return new Duration(nanos);
}

const durationText = ({ nanos }: Duration) => {
  const seconds = `${nanos / 1_000_000_000n}`;
  const rest = nanos < 0n ? -nanos % 1_000_000_000n : nanos % 1_000_000_000n;
  const fraction = rest === 0n ? "" : `.${String(rest).padStart(9, "0").replace(/0+$/, "")}`;
  return `${nanos < 0n && seconds === "0" ? "-" : ""}${seconds}${fraction}s`;
};

export function typeNameOf(value: Value): string {
  if (value === null) return "null_type";
  switch (typeof value) {
    case "boolean":
      return "bool";
    case "bigint":
      return "int";
    case "number":
      return "double";
    case "string":
      return "string";
  }
  if (value instanceof Uint) return "uint";
  if (value instanceof Uint8Array) return "bytes";
  if (value instanceof List) return "list";
  if (value instanceof Mapping) return value.isObject ? "object" : "map";
  if (value instanceof Duration) return "google.protobuf.Duration";
  if (value instanceof Timestamp) return "google.protobuf.Timestamp";
  if (value instanceof Optional) return "optional_type";
  return value instanceof Opaque ? value.type : "type";
}

const bytesOf = (text: string, meter: Meter) => {
  meter.spendText(text.length);
  return new TextEncoder().encode(text);
};

export const conversions: readonly Overload[] = [
  overload("int(int): int", (value: bigint) => value),
  overload("int(uint): int", (value: Uint) => toInt(value.value)),
  overload("int(double): int", truncate),
  overload("int(string): int", (text: string) => toInt(wholeOf(text, "int"))),
  overload("int(timestamp): int", (at: Timestamp) => at.nanos / 1_000_000_000n),
  overload("int(duration): int", (span: Duration) => span.nanos),
  overload("uint(uint): uint", (value: Uint) => value),
  overload("uint(int): uint", (value: bigint) => toUint(value)),
  overload("uint(double): uint", (value: number) => toUint(truncate(value))),
  overload("uint(string): uint", (text: string) => toUint(wholeOf(text, "uint"))),
  overload("double(double): double", (value: number) => value),
  overload("double(int): double", (value: bigint) => Number(value)),
  overload("double(uint): double", (value: Uint) => Number(value.value)),
  overload("double(string): double", doubleOf),
  overload("string(string): string", (text: string) => text),
  overload("string(int): string", (value: bigint) => String(value)),
  overload("string(uint): string", (value: Uint) => String(value.value)),
  overload("string(double): string", (value: number) => textOf(value)),
  overload("string(bool): string", (value: boolean) => String(value)),
  overload("string(bytes): string", (value: Uint8Array, meter: Meter) => {
    meter.spendText(value.length);
    return new TextDecoder().decode(value);
  }),
  overload("string(timestamp): string", (at: Timestamp) => textOf(at)),
  overload("string(duration): string", durationText),
  overload("bytes(string): bytes", bytesOf),
  overload("bytes(bytes): bytes", (value: Uint8Array) => value),
  overload("bool(bool): bool", (value: boolean) => value),
  overload("bool(string): bool", boolOf),
  overload("timestamp(string): timestamp", parseTimestamp),
  overload("timestamp(int): timestamp", (seconds: bigint) => new Timestamp(seconds * 1_000_000_000n)),
  overload("timestamp(timestamp): timestamp", (at: Timestamp) => at),
  overload("duration(string): duration", durationOf),
  overload("duration(duration): duration", (span: Duration) => span),
  overload("duration(int): duration", (nanos: bigint) => new Duration(nanos)),
  overload("dyn(T): dyn", (value: Value) => value),
  overload("type(T): type", (value: Value) => new TypeValue(typeNameOf(value))),
  overload("size(bytes): int", (value: Uint8Array) => BigInt(value.length)),
  overload("bytes.size(): int", (value: Uint8Array) => BigInt(value.length)),
  named("optional.of", "(T): optional<T>", (value: Value) => new Optional(value)),
  named("optional.none", "(): optional<T>", () => Optional.none),
  named("optional.ofNonZeroValue", "(T): optional<T>", (value: Value) =>
    isZero(value) ? Optional.none : new Optional(value),
  ),
  overload("optional<T>.hasValue(): bool", (value: Optional) => value.value !== undefined),
  overload("optional<T>.value(): T", (optional: Optional) => {
    if (optional.value === undefined) throw new CelError("optional.none() dereference");
    return optional.value;
  }),
  overload("optional<T>.orValue(T): T", (optional: Optional, other: Value) => optional.value ?? other),
  overload("optional<T>.or(optional<T>): optional<T>", (a: Optional, b: Optional) => (a.value === undefined ? b : a)),
];

function isZero(value: Value): boolean {
  if (value instanceof List) return value.size === 0;
  if (value instanceof Mapping) return value.keys.length === 0;
  if (value instanceof Uint) return value.value === 0n;
  return value === null || value === false || value === 0n || value === 0 || value === "";
}
