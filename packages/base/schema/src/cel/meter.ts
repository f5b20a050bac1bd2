/** More work was asked for than a rule, or all rules of an object, may do. */
export class OverBudget extends Error {
  readonly of: "rule" | "object";

  constructor(of: "rule" | "object") {
    super("operation cancelled: actual cost limit exceeded");
    this.name = "OverBudget";
    this.of = of;
  }
}

/** The real server's limits, in its units: about one for each step of an expression. */
export const ruleBudget = 1_000_000;
export const objectBudget = 10_000_000;

/** Counts the work that rules do, so that no rule can keep the server busy. */
export class Meter {
  #rule = ruleBudget;
  #object = objectBudget;

  startRule(): void {
    this.#rule = ruleBudget;
  }

  spend(cost: number): void {
    this.#rule -= cost;
    this.#object -= cost;
    if (this.#object < 0) throw new OverBudget("object");
    if (this.#rule < 0) throw new OverBudget("rule");
  }

  /** Texts are read ten characters for one. */
  spendText(length: number): void {
    this.spend(Math.ceil(length / 10));
  }
}
