/**
 * A Kubernetes quantity, exact: `unscaled * 10^exponent`. The format is remembered because `1Gi` and `1073741824`
 * are equal but are written back in different ways.
 */
export interface Quantity {
  readonly unscaled: bigint;
  readonly exponent: number;
  readonly format: QuantityFormat;
  /** The text it was read from, where a real server would give back that very text. */
  readonly text?: string;
}
export type QuantityFormat = "DecimalSI" | "BinarySI" | "DecimalExponent";

const decimalSuffixes = ["n", "u", "m", "", "k", "M", "G", "T", "P", "E"];
const binarySuffixes = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
const finestExponent = -9;
const largestSuffixExponent = 18;
const largestBinary = 2n ** 63n - 1n;
/** Digits and exponents beyond these are no amount of anything; refusing them bounds the arithmetic below. */
const longestText = 256;
const largestExponent = 1024;

const grammar = /^([+-]?)(\d*)(?:\.(\d*))?(?:([KMGTPE]i)|([numkMGTPE])|[eE]([+-]?\d+))?$/;

/** The quantity a text or number names, or undefined. Finer than a billionth is rounded away from zero, as upstream does. */
export function parseQuantity(source: string | number): Quantity | undefined {
  const text = String(source);
  if (text.length > longestText) return undefined;
  const match = grammar.exec(text);
  if (!match) return undefined;
  const [, sign, whole = "", fraction = "", binary, decimal, power] = match;
  if (whole === "" && fraction === "") return undefined;
  const amount = BigInt(whole + fraction) * (sign === "-" ? -1n : 1n);
  if (amount === 0n) return { unscaled: 0n, exponent: 0, format: formatOf(binary, power) };
  if (binary !== undefined) return binaryQuantity({ text, whole, fraction, amount, suffix: binary });
  const exponent = decimalExponent(decimal, power) - fraction.length;
  if (Math.abs(exponent) > largestExponent) return undefined;
  const isCanonical = isKeptAsWritten(whole.replace(/^0+/, "") + fraction, exponent);
  return {
    ...roundToNano(amount, exponent),
    format: formatOf(binary, power),
    ...(isCanonical ? { text } : {}),
  };
}

function formatOf(binary: string | undefined, power: string | undefined): QuantityFormat {
  if (binary !== undefined) return "BinarySI";
  return power === undefined ? "DecimalSI" : "DecimalExponent";
}

function decimalExponent(suffix: string | undefined, power: string | undefined): number {
  if (power !== undefined) return Number(power);
  return suffix === undefined ? 0 : decimalSuffixes.indexOf(suffix) * 3 + finestExponent;
}

/** Upstream hands a text back unchanged when it already steps in thousands: `1.500` stays, `1500` stays, `1.5` becomes `1500m`. */
function isKeptAsWritten(digits: string, exponent: number): boolean {
  if (digits.length > 18 || exponent < finestExponent || exponent % 3 !== 0) return false;
  return digits !== "" && !digits.startsWith("0") && !digits.endsWith("000");
}

interface BinaryParts {
  text: string;
  whole: string;
  fraction: string;
  amount: bigint;
  suffix: string;
}

function binaryQuantity({ text, whole, fraction, amount, suffix }: BinaryParts): Quantity {
  const steps = binarySuffixes.indexOf(suffix);
  const scaled = roundToNano(amount * 1024n ** BigInt(steps), -fraction.length);
  const bound = { unscaled: scaled.unscaled < 0n ? -largestBinary : largestBinary, exponent: 0 };
  const value = compareMagnitude(scaled, bound) > 0 ? bound : scaled;
  if (compareMagnitude(value, { unscaled: 1n, exponent: 0 }) < 0 && value.unscaled > 0n) {
    return { ...value, format: "DecimalSI" };
  }
  const digits = whole.replace(/^0+/, "");
  const isShort = fraction === "" && 15 - digits.length - 3 * steps - 1 >= 0;
  const isCanonical = isShort && (amount & 7n) !== 0n;
  return { ...value, format: "BinarySI", ...(isCanonical ? { text } : {}) };
}

interface Scaled {
  unscaled: bigint;
  exponent: number;
}

function roundToNano(unscaled: bigint, exponent: number): Scaled {
  if (exponent >= finestExponent) return { unscaled, exponent };
  const divisor = 10n ** BigInt(finestExponent - exponent);
  const kept = unscaled / divisor;
  if (kept * divisor === unscaled) return { unscaled: kept, exponent: finestExponent };
  return { unscaled: kept + (unscaled < 0n ? -1n : 1n), exponent: finestExponent };
}

/** Canonical text: the largest suffix that leaves no fraction, in the format the quantity came in. */
export function formatQuantity(quantity: Quantity): string {
  if (quantity.text !== undefined) return quantity.text;
  if (quantity.unscaled === 0n) return "0";
  const whole = wholeValue(quantity);
  const isSmall = whole !== undefined && whole > -1024n && whole < 1024n;
  if (quantity.format !== "BinarySI" || whole === undefined || isSmall) return formatDecimal(quantity);
  let rest = whole;
  let steps = 0;
  while (rest % 1024n === 0n && steps < binarySuffixes.length - 1) {
    rest /= 1024n;
    steps++;
  }
  return `${rest}${binarySuffixes[steps]}`;
}

function wholeValue({ unscaled, exponent }: Scaled): bigint | undefined {
  if (exponent >= 0) return unscaled * 10n ** BigInt(exponent);
  const divisor = 10n ** BigInt(-exponent);
  return unscaled % divisor === 0n ? unscaled / divisor : undefined;
}

function formatDecimal({ unscaled, exponent, format }: Quantity): string {
  let digits = unscaled;
  let power = exponent;
  while (digits % 10n === 0n) {
    digits /= 10n;
    power++;
  }
  while (power % 3 !== 0) {
    digits *= 10n;
    power--;
  }
  if (format === "DecimalExponent") return power === 0 ? `${digits}` : `${digits}e${power}`;
  // There is no suffix above E. Upstream drops the exponent here (`1000E` becomes `1`); we keep the amount.
  while (power > largestSuffixExponent) {
    digits *= 1000n;
    power -= 3;
  }
  return `${digits}${decimalSuffixes[(power - finestExponent) / 3]}`;
}

function aligned(a: Scaled, b: Scaled): [bigint, bigint, number] {
  const exponent = Math.min(a.exponent, b.exponent);
  return [
    a.unscaled * 10n ** BigInt(a.exponent - exponent),
    b.unscaled * 10n ** BigInt(b.exponent - exponent),
    exponent,
  ];
}

const magnitude = (value: bigint) => (value < 0n ? -value : value);

function compareMagnitude(a: Scaled, b: Scaled): number {
  const [left, right] = aligned(a, b).map((part) => magnitude(part as bigint)) as [bigint, bigint];
  return left < right ? -1 : left > right ? 1 : 0;
}

/** Negative, zero or positive, as `Array.sort` wants it. */
export function compareQuantity(a: Quantity, b: Quantity): -1 | 0 | 1 {
  const [left, right] = aligned(a, b);
  return left < right ? -1 : left > right ? 1 : 0;
}

/** The sum, in the format of the first summand that is not zero. */
export function addQuantity(a: Quantity, b: Quantity): Quantity {
  const [left, right, exponent] = aligned(a, b);
  return { unscaled: left + right, exponent, format: a.unscaled === 0n ? b.format : a.format };
}

export function subtractQuantity(a: Quantity, b: Quantity): Quantity {
  return addQuantity(a, { unscaled: -b.unscaled, exponent: b.exponent, format: b.format });
}

/** The nearest number; amounts above 2^53 lose their last digits. */
export function quantityToNumber(quantity: Quantity): number {
  return Number(`${quantity.unscaled}e${quantity.exponent}`);
}

/** The amount as a whole number when it is one that fits 64 bits. */
export function quantityToInteger(quantity: Quantity): bigint | undefined {
  const whole = wholeValue(quantity);
  return whole !== undefined && magnitude(whole) <= largestBinary ? whole : undefined;
}
