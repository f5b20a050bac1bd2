import { formatMicroTime, formatQuantity, formatTime, type Json, parseQuantity, parseTime } from "@trivium/std";
import { DecodeFault, mismatch, type Place } from "./place.ts";
import type { Scalar } from "./shape.ts";

/** The canonical form of a value that is no object and no list, or a `DecodeFault` where it has the wrong type. */
export function decodeScalar(shape: { is: Scalar; go: string }, value: Json, place: Place): Json {
  switch (shape.is) {
    case "string":
      if (typeof value !== "string") throw mismatch(shape, value, place);
      return value;
    case "bool":
      if (typeof value !== "boolean") throw mismatch(shape, value, place);
      return value;
    case "int32":
      if (!isIntegerUpTo(value, 2 ** 31)) throw mismatch(shape, value, place);
      return value;
    case "int64":
      if (!isIntegerUpTo(value, 2 ** 63)) throw mismatch(shape, value, place);
      return value;
    case "float64":
      if (typeof value !== "number") throw mismatch(shape, value, place);
      return value;
    case "bytes":
      return decodeBytes(shape, value, place);
    case "time":
    case "microTime":
      return decodeTime(shape, value, place);
    case "quantity":
      return decodeQuantity(value);
    case "intOrString":
      if (typeof value === "string" || isIntegerUpTo(value, 2 ** 31)) return value;
      throw mismatch({ go: "int32" }, value, place);
  }
}

const isIntegerUpTo = (value: Json, limit: number): boolean =>
  typeof value === "number" && Number.isInteger(value) && value >= -limit && value < limit;

function decodeTime(shape: { is: Scalar; go: string }, value: Json, place: Place): Json {
  if (typeof value !== "string") throw mismatch(shape, value, place);
  const at = parseTime(value);
  const wrong = at === undefined ? { text: value, as: "2006" } : shape.is === "time" ? undefined : wrongFraction(value);
  if (at !== undefined && wrong === undefined) return shape.is === "time" ? formatTime(at) : microseconds(value, at);
  const form = shape.is === "time" ? "2006-01-02T15:04:05Z07:00" : "2006-01-02T15:04:05.000000Z07:00";
  throw new DecodeFault(
    `parsing time ${JSON.stringify(value)} as "${form}": cannot parse ${JSON.stringify(wrong?.text)} as "${wrong?.as}"`,
  );
}

/** What a time of microseconds has instead of its six digits. */
function wrongFraction(text: string): { text: string; as: string } | undefined {
  const rest = text.slice("2006-01-02T15:04:05".length);
  const digits = /^\.(\d*)/.exec(rest)?.[1] ?? "";
  if (digits.length === 6) return undefined;
  return digits.length < 6 ? { text: rest, as: ".000000" } : { text: rest.slice(7), as: "Z07:00" };
}

/** Whole microseconds survive only as text; another time zone is brought to UTC at the cost of what is below a millisecond. */
function microseconds(text: string, at: number): string {
  const fraction = /\.(\d+)Z$/.exec(text)?.[1];
  return fraction === undefined
    ? formatMicroTime(at)
    : `${formatMicroTime(at).slice(0, 20)}${fraction.slice(0, 6).padEnd(6, "0")}Z`;
}

function decodeQuantity(value: Json): Json {
  const quantity = typeof value === "string" || typeof value === "number" ? parseQuantity(value) : undefined;
  if (quantity !== undefined) return formatQuantity(quantity);
  if (typeof value === "string" && bareSuffix.test(value)) return "0";
  if (typeof value === "string" && wrongSuffix.test(value)) throw new DecodeFault("unable to parse quantity's suffix");
  throw new DecodeFault("quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
}

/** Amounts of resources are never finer than a thousandth: what is finer is rounded up to one. */
export function roundedUp(amount: Json): Json {
  const quantity = typeof amount === "string" && /[nu]$/.test(amount) ? parseQuantity(amount) : undefined;
  if (quantity === undefined) return amount;
  const step = 10n ** BigInt(Math.max(0, -3 - quantity.exponent));
  const thousandths = quantity.unscaled / step + (quantity.unscaled > 0n && quantity.unscaled % step !== 0n ? 1n : 0n);
  return formatQuantity({ unscaled: thousandths, exponent: -3, format: quantity.format });
}

/** A unit of nothing is nothing. */
const bareSuffix = /^([KMGTPE]i|[numkMGTPE])$/;
const wrongSuffix = /^[+-]?[0-9.]+[eEinumkKMGTP]+[-+]?[0-9]*$/;

function decodeBytes(shape: { go: string }, value: Json, place: Place): Json {
  if (typeof value !== "string") throw mismatch(shape, value, place);
  const text = value.replace(/[\r\n]/g, "");
  const wrong = /[^A-Za-z0-9+/]/.exec(text.replace(/={0,2}$/, ""))?.index;
  if (wrong !== undefined) throw new DecodeFault(`illegal base64 data at input byte ${wrong}`);
  if (text.length % 4 !== 0)
    throw new DecodeFault(`illegal base64 data at input byte ${text.length - (text.length % 4)}`);
  return text;
}
