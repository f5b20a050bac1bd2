import { append, type Json } from "@trivium/std";
import { type FieldError, invalid } from "../field-error.ts";
import { FieldPath } from "../field-path.ts";
import type { Correlation } from "./correlation.ts";

/** What the schema pass found so far, and where it stands. */
export class Report {
  readonly path = new FieldPath();
  errors: FieldError[] = [];
  /**
   * How many checks were made and passed. Of the branches of an `anyOf` or `oneOf` that all fail, the server tells the
   * faults of the one that came furthest by this count.
   */
  matches = 0;

  /** The value here beside what it was before an update; undefined on create and where it cannot be known again. */
  #correlation: Correlation | undefined;

  constructor(correlation?: Correlation) {
    this.#correlation = correlation;
  }

  /** Checks a member or an element, and forgives its faults where it did not change. */
  inside(step: string | number, value: Json, check: Check): void {
    this.path.push(step);
    const outer = this.#correlation;
    if (outer === undefined) check(value, this);
    else {
      const inner = this.path.isHead ? undefined : outer.at(step);
      const before = this.errors.length;
      this.#correlation = inner;
      check(value, this);
      this.#correlation = outer;
      if (this.errors.length > before && inner?.isUnchanged === true) this.errors.length = before;
    }
    this.path.pop();
  }

  add(error: FieldError): void {
    this.errors.push(error);
  }

  /** Faults of whole schemas have no field of their own; the real server writes the path into the text. */
  addUnplaced(detail: string): void {
    this.errors.push(invalid("<nil>", "", detail));
  }

  /** The outcome of a check on its own, leaving this report as it was. */
  try(check: Check, value: Json): Outcome {
    const { errors, matches } = this;
    const correlation = this.#correlation;
    this.errors = [];
    this.matches = 0;
    // Which branch a value fits is for the value alone to say.
    this.#correlation = undefined;
    check(value, this);
    const outcome = { errors: this.errors, matches: this.matches };
    this.#correlation = correlation;
    this.errors = errors;
    this.matches = matches;
    return outcome;
  }

  merge(outcome: Outcome): void {
    append(this.errors, outcome.errors);
    this.matches += outcome.matches;
  }
}

export interface Outcome {
  readonly errors: FieldError[];
  readonly matches: number;
}

export type Check = (value: Json, report: Report) => void;
