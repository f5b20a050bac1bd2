import type { Millis } from "./time.ts";

const nanosPerUnit: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};
const largest = 2n ** 63n - 1n;
/** Numbers of a million digits take long to read, and no duration needs them. */
const longestText = 256;

/** Nanoseconds of a Go duration (`1h30m`, `1.5s`, `-200ms`, `0`), or undefined where Go would refuse it. */
export function parseDurationNanos(text: string): bigint | undefined {
  if (text.length > longestText) return undefined;
  const unsigned = text.replace(/^[+-]/, "");
  if (unsigned === "0") return 0n;
  let total = 0n;
  let end = 0;
  const part = /(\d*)(?:\.(\d*))?(ns|us|µs|μs|ms|s|m|h)/y;
  while (end < unsigned.length) {
    const match = part.exec(unsigned);
    if (!match) return undefined;
    const [found, whole = "", fraction = "", unit = ""] = match;
    if (whole === "" && fraction === "") return undefined;
    const scale = nanosPerUnit[unit] as bigint;
    // Digits finer than a nanosecond are cut off, as Go does; more than 18 of them cannot matter.
    const digits = fraction.slice(0, 18);
    total += BigInt(whole) * scale + (BigInt(digits) * scale) / 10n ** BigInt(digits.length);
    if (total > largest) return undefined;
    end += found.length;
  }
  if (end === 0) return undefined;
  return text.startsWith("-") ? -total : total;
}

export function parseDuration(text: string): Millis | undefined {
  const nanos = parseDurationNanos(text);
  return nanos === undefined ? undefined : Number(nanos) / 1e6;
}

/** The form Go prints: `1h0m0s`, `1.5s`, `100ms`, `0s`. */
export function formatDuration(duration: Millis): string {
  return formatDurationNanos(BigInt(Math.round(duration * 1e6)));
}

export function formatDurationNanos(nanos: bigint): string {
  if (nanos === 0n) return "0s";
  if (nanos < 0n) return `-${formatDurationNanos(-nanos)}`;
  if (nanos < 1_000n) return `${nanos}ns`;
  if (nanos < 1_000_000n) return `${decimal(nanos, 1_000n)}µs`;
  if (nanos < 1_000_000_000n) return `${decimal(nanos, 1_000_000n)}ms`;
  const minutes = nanos / 60_000_000_000n;
  const seconds = `${decimal(nanos % 60_000_000_000n, 1_000_000_000n)}s`;
  if (minutes === 0n) return seconds;
  if (minutes < 60n) return `${minutes}m${seconds}`;
  return `${minutes / 60n}h${minutes % 60n}m${seconds}`;
}

function decimal(value: bigint, unit: bigint): string {
  const digits = String(unit).length - 1;
  const fraction = String(value % unit)
    .padStart(digits, "0")
    .replace(/0+$/, "");
  return fraction === "" ? `${value / unit}` : `${value / unit}.${fraction}`;
}
