import { Refusal } from "@trivium/std";
import { findNearest } from "./nearest.ts";

/** What a person named, and everything that it can mean. */
export interface NamedInput<T> {
  /** `service`, `BaseModel or ClusterBaseModel`. */
  readonly what: string;
  readonly name: string;
  /** `namespace team-a`; nothing where there is one place only. */
  readonly where?: string | undefined;
  readonly found: readonly T[];
  /** Names that exist there, for a name that was misspelt. */
  readonly known: readonly string[];
  /** What to do where no name is similar: an instruction. */
  readonly otherwise: string;
  /** The words that mean this one only. */
  wordsFor(one: T): string;
}

/** The one that a name means. Every command that takes a name says with the same words that there is none, or that there are several. */
export function chooseOnly<T>(input: NamedInput<T>): T {
  const { name, found, wordsFor } = input;
  const [only, ...more] = found;
  if (only === undefined) throw notFound(input);
  if (more.length === 0) return only;
  throw new Refusal(`several objects have the name ${name}; use ${found.map(wordsFor).join(" or ")}`);
}

/** A name that does not exist gets the nearest one that does. */
export function notFound({
  what,
  name,
  where,
  known,
  otherwise,
}: Omit<NamedInput<never>, "found" | "wordsFor">): Refusal {
  const nearest = findNearest(name, known);
  const remedy = nearest === undefined ? otherwise : `did you mean ${nearest}?`;
  return new Refusal(`${what} ${name} not found${where === undefined ? "" : ` in ${where}`}; ${remedy}`);
}
