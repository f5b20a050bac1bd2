import { parseDurationNanos } from "@trivium/std";

/** A Go duration as routes of the Gateway API take it: whole hours, minutes, seconds and milliseconds of at most five digits. */
export function gatewayDuration(text: string): string | undefined {
  const nanos = parseDurationNanos(text.trim());
  if (nanos === undefined || nanos < 0n) return undefined;
  const millis = (nanos + 999_999n) / 1_000_000n;
  const parts = [
    [millis / 3_600_000n, "h"],
    [(millis / 60_000n) % 60n, "m"],
    [(millis / 1000n) % 60n, "s"],
    [millis % 1000n, "ms"],
  ] as const;
  if (parts[0][0] > 99_999n) return undefined;
  return parts.map(([amount, unit]) => (amount === 0n ? "" : `${amount}${unit}`)).join("") || "0s";
}
