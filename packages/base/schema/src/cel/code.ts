import type { Meter } from "./meter.ts";
import type { CelType } from "./types.ts";
import { CelError, NoOverload, type Value } from "./values.ts";

/** What a rule runs on. Names bound by comprehensions are held by number. */
export interface Frame {
  readonly self: Value;
  readonly oldSelf: Value | undefined;
  readonly locals: Value[];
  readonly meter: Meter;
}

/** A checked expression, ready to run. */
export interface Code {
  readonly type: CelType;
  /** What running it may cost at worst. */
  readonly cost: number;
  readonly run: (frame: Frame) => Value;
}

/** The names an expression may use. */
export interface Scope {
  readonly self: CelType;
  /** Optional where a rule also runs on creation. */
  readonly oldSelf: CelType;
  readonly locals: readonly { readonly name: string; readonly type: CelType }[];
  /** Told when the expression asks for the old value. */
  readonly onOldSelf: () => void;
}

export const total = (codes: readonly Code[]) => codes.reduce((sum, code) => sum + code.cost, 0);

/** The verdict, or the error that may yet be forgiven. Running out of budget never is. */
export function attempt(code: Code, frame: Frame): boolean | CelError {
  try {
    const value = code.run(frame);
    return typeof value === "boolean" ? value : new NoOverload();
  } catch (error) {
    if (error instanceof CelError) return error;
    throw error;
  }
}
