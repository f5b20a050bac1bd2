import { parseQuantity, type Quantity } from "@trivium/std";

/** How much of each resource: CPU in thousandths, everything else in whole units, as the scheduler counts. */
export type Amounts = ReadonlyMap<string, number>;

const noAmounts: Amounts = new Map();

const known = new Map<string, number>();
const maxKnown = 10_000;

/** The same few quantities repeat, so each is parsed once. */
export function amountOf(resource: string, quantity: string | number): number {
  const digits = resource === "cpu" ? 3 : 0;
  const key = `${digits} ${quantity}`;
  const found = known.get(key);
  if (found !== undefined) return found;
  const parsed = parseQuantity(quantity);
  const amount = parsed === undefined ? 0 : scaledUp(parsed, digits);
  if (known.size >= maxKnown) known.clear();
  known.set(key, amount);
  return amount;
}

/** A part of the smallest unit counts as a whole one. */
function scaledUp({ unscaled, exponent }: Quantity, digits: number): number {
  const power = exponent + digits;
  if (power >= 0) return Number(unscaled * 10n ** BigInt(power));
  const unit = 10n ** BigInt(-power);
  const whole = unscaled / unit;
  return Number(unscaled > 0n && whole * unit !== unscaled ? whole + 1n : whole);
}

export function amountsOf(list: Readonly<Record<string, string | number>> | undefined): Amounts {
  if (list === undefined) return noAmounts;
  const amounts = new Map<string, number>();
  for (const resource in list) amounts.set(resource, amountOf(resource, list[resource] as string | number));
  return amounts;
}

export function addTo(sum: Map<string, number>, amounts: Amounts, times: 1 | -1 = 1): void {
  for (const [resource, amount] of amounts) sum.set(resource, (sum.get(resource) ?? 0) + amount * times);
}

export function raiseTo(most: Map<string, number>, amounts: Amounts): void {
  for (const [resource, amount] of amounts) most.set(resource, Math.max(most.get(resource) ?? 0, amount));
}
