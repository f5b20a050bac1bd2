import { builtInRows, type DefinedKind } from "@trivium/kube";
import { dialects } from "@trivium/local";
import { Refusal } from "@trivium/std";
import { findNearest } from "./nearest.ts";

/** The services of each dialect. */
export const serviceKinds: readonly DefinedKind[] = dialects.map(({ serviceKind }) => serviceKind);

/** The dialect whose services these are. */
const dialectOf = (kind: DefinedKind): string | undefined =>
  dialects.find(({ serviceKind }) => serviceKind === kind)?.name;

/** All words for a kind; the name of a dialect means its services. */
export const namesOf = (kind: DefinedKind): string[] => {
  const { kind: name, plural, singular, shortNames } = kind;
  return [...new Set([name.toLowerCase(), plural, singular, ...shortNames, ...[dialectOf(kind) ?? []].flat()])];
};

/** The shortest words that mean one object only, wherever a command takes a name: `ome/chat`, `models.inference.llmkube.dev/chat`. */
export const wordsFor = (kind: DefinedKind, name: string): string =>
  `${dialectOf(kind) ?? `${kind.plural}.${kind.group}`}/${name}`;

/** Kinds by one of their words, also with a group: `isvc`, `isvc.ome.io`, `ome`. A word of none gets the nearest. */
export function findKinds(written: string, kinds: readonly DefinedKind[]): DefinedKind[] {
  const [word = "", ...rest] = written.toLowerCase().split(".");
  const group = rest.join(".");
  const found = kinds
    .filter((kind) => namesOf(kind).includes(word))
    .filter((kind) => group === "" || kind.group === group || group === `${kind.version}.${kind.group}`);
  if (found.length > 0) return found;
  const nearest = findNearest(word, kinds.flatMap(namesOf));
  const known = [...new Set(kinds.map((kind) => dialectOf(kind) ?? kind.singular))].join(", ");
  throw new Refusal(
    `unknown kind ${written}; ${nearest === undefined ? `use one of ${known}` : `did you mean ${nearest}?`}`,
  );
}

/** The plural of a kind that has no services, as kubectl takes it: of Kubernetes, or another one of a dialect. */
export function otherKind(word: string): string | undefined {
  const written = word.toLowerCase();
  const own = dialects.flatMap(({ kinds }) => kinds).find((kind) => namesOf(kind).includes(written));
  return own === undefined ? builtInKind(word) : `${own.plural}.${own.group}`;
}

/** The plural of a kind of Kubernetes. */
export function builtInKind(word: string): string | undefined {
  const written = word.toLowerCase();
  return builtInRows.find(({ resource, singular, kind, shortNames = [] }) =>
    [resource, singular, kind.toLowerCase(), ...shortNames].includes(written),
  )?.resource;
}
