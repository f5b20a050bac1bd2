import type { DefinedKind } from "@trivium/kube";
import { Refusal } from "@trivium/std";

/** What a person wants explained. */
export interface Subject {
  readonly kind: DefinedKind;
  readonly name: string;
}

/** Reads `aimservice/chat`, `isvc.ome.io/chat` or the two words apart. Throws what the person should read. */
export function readSubject(words: readonly string[], kinds: readonly DefinedKind[]): Subject {
  const [type = "", name = "", ...more] = words.length === 1 ? (words[0] ?? "").split("/") : words;
  if (type === "" || name === "" || more.length > 0)
    throw new Refusal("say what to explain as kind/name, for example: trivium explain aimservice/chat");
  return { kind: findKind(type, kinds), name };
}

function findKind(written: string, kinds: readonly DefinedKind[]): DefinedKind {
  const [word = "", ...rest] = written.toLowerCase().split(".");
  const group = rest.join(".");
  const found = kinds
    .filter((kind) => namesOf(kind).includes(word))
    .filter((kind) => group === "" || kind.group === group || group === `${kind.version}.${kind.group}`);
  const [only] = found;
  if (only === undefined) {
    const known = [...new Set(kinds.map(({ singular }) => singular))].sort().join(", ");
    throw new Refusal(`there is no kind ${written} here; what can be explained: ${known}`);
  }
  if (found.length > 1) {
    const choices = found.map(({ plural, group: its }) => `${plural}.${its}`).join(" or ");
    throw new Refusal(`${written} may mean several kinds: write ${choices}`);
  }
  return only;
}

const namesOf = ({ kind, plural, singular, shortNames }: DefinedKind): string[] => [
  kind.toLowerCase(),
  plural,
  singular,
  ...shortNames,
];
