import type { Subject, Wanted } from "@trivium/explain";
import type { DefinedKind } from "@trivium/kube";
import { Refusal } from "@trivium/std";
import { chooseOnly } from "../cluster/choose.ts";
import { builtInKind, findKinds, namesOf, serviceKinds, wordsFor } from "../cluster/kinds.ts";

/** Reads `aimservice/chat`, `isvc.ome.io/chat`, the two words apart, or the name of a service. Throws what the person should read. */
export function readSubject(words: readonly string[], kinds: readonly DefinedKind[]): Wanted {
  const [only = ""] = words;
  const services = kinds.filter((kind) => serviceKinds.includes(kind));
  if (words.length === 1 && !only.includes("/") && only !== "") return { kinds: services, name: only };
  const [type = "", name = "", ...more] = words.length === 1 ? (words[0] ?? "").split("/") : words;
  if (type === "" || name === "" || more.length > 0) throw new Refusal(nameTheObject);
  // As in `trivium get services`: not those of Kubernetes.
  if (/^services?$/i.test(type)) return { kinds: services, name };
  const builtIn = builtInKind(type);
  if (builtIn !== undefined)
    throw new Refusal(
      `trivium explain knows the kinds of AIM, OME and LLMKube only; use kubectl describe ${builtIn} ${name}, or explain the service that owns it`,
    );
  return { kinds: findKinds(type, kinds), name };
}

const nameTheObject = "name the object as kind/name, for example: trivium explain aimservice/chat";

/** What to do where nothing has the name. One word can be a service, `model` of `model.gguf`, and a kind whose name is missing. */
export const remedyFor = (words: readonly string[], kinds: readonly DefinedKind[], otherwise: string): string =>
  words.length === 1 && kinds.some((kind) => namesOf(kind).includes(words[0] ?? "")) ? nameTheObject : otherwise;

export interface Place {
  /** `namespace team-a`, or the name of a file. */
  readonly where: string;
  /** What to do where no name is similar. */
  readonly otherwise: string;
  /** Names of objects of the wanted kinds. */
  readonly known: readonly string[];
}

/** The one of the kinds that has an object of this name. */
export function chooseSubject({ kinds, name }: Wanted, there: readonly DefinedKind[], place: Place): Subject {
  const isNamespaced = kinds.some(({ namespaced }) => namespaced);
  const kind = chooseOnly({
    ...place,
    where: isNamespaced ? place.where : undefined,
    what: [...new Set(kinds.map((one) => one.kind))].join(" or "),
    name,
    found: there,
    wordsFor: (one) => wordsFor(one, name),
  });
  return { kind, name };
}
