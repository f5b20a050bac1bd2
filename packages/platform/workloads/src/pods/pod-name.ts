import { shortHash } from "@trivium/std";

/** A name has room for the five characters behind its base. */
const maxBase = 58;

/**
 * Names for pods to come: the base and five characters, made from the owner's uid and a counter, so that the same decision names the same
 * pods. Names that are taken are skipped, also those of pods that are ending: a pod on its way out never keeps the next one waiting.
 */
export function nextPodNames(base: string, uid: string, taken: ReadonlySet<string>, count: number): string[] {
  const names: string[] = [];
  for (let i = 0; names.length < count; i += 1) {
    const name = podName(base, `${uid} ${i}`);
    if (!taken.has(name)) names.push(name);
  }
  return names;
}

/** `base-abcde`: cut as the server cuts names that it generates. */
export function podName(base: string, source: string): string {
  return `${`${base}-`.slice(0, maxBase)}${shortHash(source, 5)}`;
}
