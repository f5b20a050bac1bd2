import type { Json } from "@trivium/std";
import { type FieldError, invalid } from "../field-error.ts";
import { FieldPath } from "../field-path.ts";

/** What the schema pass found so far, and where it stands. */
export class Report {
  readonly path = new FieldPath();
  errors: FieldError[] = [];
  /**
   * How many checks were made and passed. Of the branches of an `anyOf` or `oneOf` that all fail, the server tells the
   * faults of the one that came furthest by this count.
   */
  matches = 0;

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
    this.errors = [];
    this.matches = 0;
    check(value, this);
    const outcome = { errors: this.errors, matches: this.matches };
    this.errors = errors;
    this.matches = matches;
    return outcome;
  }

  merge(outcome: Outcome): void {
    this.errors.push(...outcome.errors);
    this.matches += outcome.matches;
  }
}

export interface Outcome {
  readonly errors: FieldError[];
  readonly matches: number;
}

export type Check = (value: Json, report: Report) => void;
