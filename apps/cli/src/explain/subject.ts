import type { DefinedKind } from "@trivium/kube";
import { Refusal } from "@trivium/std";

/** What a person wants explained. */
export interface Subject {
  readonly kind: DefinedKind;
  readonly name: string;
}

/** What the words may mean: kinds of two APIs can have the same name. */
export interface Wanted {
  readonly kinds: readonly DefinedKind[];
  readonly name: string;
}

/** Reads `aimservice/chat`, `isvc.ome.io/chat` or the two words apart. Throws what the person should read. */
export function readSubject(words: readonly string[], kinds: readonly DefinedKind[]): Wanted {
  const [type = "", name = "", ...more] = words.length === 1 ? (words[0] ?? "").split("/") : words;
  if (type === "" || name === "" || more.length > 0)
    throw new Refusal("name the object as kind/name, for example: trivium explain aimservice/chat");
  return { kinds: findKinds(type, kinds), name };
}

function findKinds(written: string, kinds: readonly DefinedKind[]): DefinedKind[] {
  const [word = "", ...rest] = written.toLowerCase().split(".");
  const group = rest.join(".");
  const found = kinds
    .filter((kind) => namesOf(kind).includes(word))
    .filter((kind) => group === "" || kind.group === group || group === `${kind.version}.${kind.group}`);
  if (found.length > 0) return found;
  const known = [...new Set(kinds.map(({ singular }) => singular))].sort().join(", ");
  throw new Refusal(`unknown kind ${written}; known kinds: ${known}`);
}

/** The one that is there; where several are, the person has to say which. */
export function onlySubject({ kinds, name }: Wanted, there: readonly DefinedKind[]): Subject | undefined {
  const [kind] = there;
  if (there.length > 1) {
    const choices = there.map(({ plural, group }) => `${plural}.${group}/${name}`).join(" or ");
    throw new Refusal(`several kinds have this name; use ${choices}`);
  }
  return kind === undefined || !kinds.includes(kind) ? undefined : { kind, name };
}

const namesOf = ({ kind, plural, singular, shortNames }: DefinedKind): string[] => [
  kind.toLowerCase(),
  plural,
  singular,
  ...shortNames,
];
