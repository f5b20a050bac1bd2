import { formatDurationNanos } from "@trivium/std";
import type { Meter } from "../meter.ts";
import { CelError, Duration, List, Mapping, Timestamp, TypeValue, Uint, type Value } from "../values.ts";

/** `"%s has %d".format([…])`. */
export function formatText(template: string, args: List, meter: Meter): string {
  let next = 0;
  const text = template.replace(/%(?:%|(?:\.(\d+))?([a-zA-Z]))/g, (clause, precision?: string, verb?: string) => {
    if (clause === "%%") return "%";
    if (next >= args.size) throw new CelError(`index ${next} out of range`);
    const shown = formatValue(args.at(next++), verb as string, Number(precision ?? 6));
    meter.spendText(shown.length);
    return shown;
  });
  meter.spendText(text.length);
  return text;
}

function formatValue(value: Value, verb: string, precision: number): string {
  const whole = value instanceof Uint ? value.value : value;
  if (precision > 100) throw new CelError(`precision ${precision} is too large`);
  switch (verb) {
    case "s":
      return textOf(value);
    case "d":
      if (typeof whole === "bigint" || typeof whole === "number") return String(whole);
      break;
    case "f":
      if (typeof whole === "number" || typeof whole === "bigint") return Number(whole).toFixed(precision);
      break;
    case "e":
      if (typeof whole === "number" || typeof whole === "bigint") {
        return Number(whole)
          .toExponential(precision)
          .replace(/e([+-])(\d)$/, "e$10$2");
      }
      break;
    case "b":
      if (typeof whole === "bigint") return whole.toString(2);
      if (typeof whole === "boolean") return whole ? "1" : "0";
      break;
    case "o":
      if (typeof whole === "bigint") return whole.toString(8);
      break;
    case "x":
    case "X":
      return hexOf(whole, verb);
  }
  throw new CelError(`no formatting function for verb "%${verb}" and this type of value`);
}

function hexOf(value: Value, verb: string): string {
  const bytes = typeof value === "string" ? new TextEncoder().encode(value) : value;
  if (typeof bytes !== "bigint" && !(bytes instanceof Uint8Array))
    throw new CelError("only integers, byte buffers, and strings can be formatted as hex");
  const hex =
    typeof bytes === "bigint"
      ? bytes.toString(16)
      : Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return verb === "X" ? hex.toUpperCase() : hex;
}

/** The text of a value for `%s` and for conversions. */
export function textOf(value: Value): string {
  if (value === null) return "null";
  if (value instanceof Uint) return String(value.value);
  if (value instanceof Duration) return `${Number(value.nanos) / 1e9}s`;
  if (value instanceof Timestamp) return timestampText(value);
  if (value instanceof TypeValue) return value.name;
  if (value instanceof Uint8Array) return new TextDecoder().decode(value);
  if (value instanceof List) return `[${value.toArray().map(textOf).join(", ")}]`;
  if (value instanceof Mapping) {
    return `{${value.keys
      .map((key) => `${textOf(key)}: ${textOf(value.get(key) as Value)}`)
      .sort()
      .join(", ")}}`;
  }
  return typeof value === "object" ? formatDurationNanos(0n) : String(value);
}

export function timestampText({ nanos }: Timestamp): string {
  const millis = Number(nanos / 1_000_000n);
  const fraction = String(((nanos % 1_000_000_000n) + 1_000_000_000n) % 1_000_000_000n)
    .padStart(9, "0")
    .replace(/0+$/, "");
  const base = new Date(Math.floor(millis / 1000) * 1000).toISOString().slice(0, 19);
  return `${base}${fraction === "" ? "" : `.${fraction}`}Z`;
}
