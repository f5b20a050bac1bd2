import { parseQuantity, quantityToInteger } from "@trivium/std";

const gibibyte = 1024n ** 3n;
export const defaultHeadroom = 10;

/** Bytes that a quantity says, rounded up; nothing for what is no amount. */
export function bytesOf(text: string | number | undefined): bigint | undefined {
  const quantity = text === undefined ? undefined : parseQuantity(text);
  if (quantity === undefined || quantity.unscaled <= 0n) return undefined;
  const { unscaled, exponent } = quantity;
  if (exponent >= 0) return quantityToInteger(quantity);
  const divisor = 10n ** BigInt(-exponent);
  return (unscaled + divisor - 1n) / divisor;
}

/** A claim for weights of that size with room to spare, in whole GiB. */
export function claimSize(bytes: bigint, headroomPercent: number): string {
  const hundredths = bytes * BigInt(100 + Math.max(0, Math.trunc(headroomPercent)));
  const wanted = (hundredths + 99n) / 100n;
  const whole = (wanted + gibibyte - 1n) / gibibyte;
  return `${whole < 1n ? 1n : whole}Gi`;
}
