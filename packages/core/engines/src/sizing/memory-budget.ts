import { parseQuantity, quantityToNumber } from "@trivium/std";

export interface BudgetRequests {
  /** An amount, such as `24Gi`; the strongest wish. */
  readonly amount?: string;
  /** A part of the machine, above 0 and at most 1. */
  readonly fraction?: number;
  /** The same, from whoever runs the machine. */
  readonly defaultFraction?: number;
}

export interface MemoryBudget {
  readonly bytes: number;
  readonly from: "amount" | "fraction" | "default" | "automatic";
  /** Wishes that could not be taken, for a log. */
  readonly ignored: readonly string[];
}

const smallMachine = 36 * 1024 ** 3;

/** How much of a machine's memory one model may take. A wish that makes no sense yields to the next. */
export function planMemoryBudget(requests: BudgetRequests, total: number): MemoryBudget {
  const ignored: string[] = [];
  if (requests.amount !== undefined) {
    const quantity = parseQuantity(requests.amount);
    const bytes = quantity === undefined ? 0 : Math.floor(quantityToNumber(quantity));
    if (bytes > 0) return { bytes, from: "amount", ignored };
    ignored.push(`memory ${JSON.stringify(requests.amount.slice(0, 40))} is not a valid quantity`);
  }
  for (const [from, fraction] of [
    ["fraction", requests.fraction],
    ["default", requests.defaultFraction],
  ] as const) {
    if (fraction === undefined) continue;
    if (fraction > 0 && fraction <= 1) return { bytes: Math.floor(total * fraction), from, ignored };
    ignored.push(`fraction ${fraction} must be greater than 0 and at most 1`);
  }
  return { bytes: Math.floor(total * (total <= smallMachine ? 0.67 : 0.75)), from: "automatic", ignored };
}
