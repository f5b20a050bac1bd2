import { type Sequence, type Step, sequence } from "../sequence.ts";

/** Sequences that begin alike, by what each shows. */
export const family = (theme: string, first: Step, cases: Record<string, Step[]>): Sequence[] =>
  Object.entries(cases).map(([name, steps]) => sequence(`${theme}/${name}`, first, ...steps));
