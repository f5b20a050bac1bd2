import {
  addQuantity,
  compareQuantity,
  formatQuantity,
  parseQuantity,
  type Quantity,
  subtractQuantity,
} from "@trivium/std";

/** How much of each resource, by its name in a quota. */
export type Amounts = ReadonlyMap<string, Quantity>;

type Written = Readonly<Record<string, string | number>> | undefined;

export const zero = parseQuantity("0") as Quantity;
export const one = parseQuantity("1") as Quantity;

/** What was written, less what is not an amount. */
export function readAmounts(written: Written): Map<string, Quantity> {
  const amounts = new Map<string, Quantity>();
  for (const [name, text] of Object.entries(written ?? {})) {
    const quantity = parseQuantity(text);
    if (quantity !== undefined) amounts.set(name, quantity);
  }
  return amounts;
}

export function addTo(sum: Map<string, Quantity>, more: Amounts): void {
  for (const [name, amount] of more) {
    const known = sum.get(name);
    sum.set(name, known === undefined ? amount : addQuantity(known, amount));
  }
}

export function raiseTo(most: Map<string, Quantity>, other: Amounts): void {
  for (const [name, amount] of other) {
    const known = most.get(name);
    if (known === undefined || compareQuantity(amount, known) > 0) most.set(name, amount);
  }
}

/** What is more in `next` than in `before`, of each resource that either names. */
export function difference(next: Amounts, before: Amounts): Map<string, Quantity> {
  const names = new Set([...next.keys(), ...before.keys()]);
  return new Map([...names].map((name) => [name, subtractQuantity(next.get(name) ?? zero, before.get(name) ?? zero)]));
}

export const isPositive = (amount: Quantity): boolean => compareQuantity(amount, zero) > 0;

/** `pods=1,requests.cpu=500m` */
export function formatAmounts(amounts: Amounts): string {
  const names = [...amounts.keys()].sort();
  return names.map((name) => `${name}=${formatQuantity(amounts.get(name) as Quantity)}`).join(",");
}
