import {
  controllerOf,
  type Kind,
  type KubeObject,
  type LabelSelectorObject,
  matchesLabels,
  type ObjectOf,
  selectorOf,
} from "@trivium/kube";
import type { Patch, Reader } from "@trivium/reconcile";

/** What an object controls of a kind, and what nobody controls and fits its selector. */
export interface Belongings<O extends KubeObject> {
  readonly own: readonly O[];
  readonly orphans: readonly O[];
}

/** Looks at what the object controls and at what it could take in; never at what others control. */
export function observeBelongings<T extends K, K extends Kind>(
  owner: KubeObject,
  selector: LabelSelectorObject | undefined,
  kind: T,
  reader: Reader<K>,
): Belongings<ObjectOf<T>> {
  const { namespace, uid = "" } = owner.metadata;
  const own = reader.list(kind, { namespace, owner: uid }).filter((object) => controllerOf(object)?.uid === uid);
  const matches = selectorOf(selector);
  const orphans = reader
    .list(kind, { namespace, labels: selectiveFirst(selector?.matchLabels) })
    .filter((object) => isOrphan(object) && matchesLabels(matches, object.metadata.labels));
  return { own, orphans };
}

function isOrphan(object: KubeObject): boolean {
  return !isControlled(object) && object.metadata.deletionTimestamp === undefined;
}

/** Lists are found by their first label, so the one that fewest objects share comes first. */
function selectiveFirst(labels: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  const hash = labels["pod-template-hash"];
  return hash === undefined ? labels : { "pod-template-hash": hash, ...labels };
}

/** Only what is controlled can be removed: an orphan that is too many is taken in first, and goes in the next pass. */
export const isControlled = (object: KubeObject): boolean => controllerOf(object) !== undefined;

export interface Claim<O extends KubeObject> {
  /** Controlled and fitting, and orphans to take in. */
  readonly ours: readonly O[];
  /** Controlled, but no longer fitting: to be let go. */
  readonly strangers: readonly O[];
}

/** Sorts belongings by whether they fit the selector. */
export function claim<O extends KubeObject>(
  { own, orphans }: Belongings<O>,
  selector: LabelSelectorObject | undefined,
): Claim<O> {
  const matches = selectorOf(selector);
  const fits = (object: O) => matchesLabels(matches, object.metadata.labels);
  return { ours: [...own.filter(fits), ...orphans].sort(byName), strangers: own.filter((object) => !fits(object)) };
}

/** Ends the owner's control over objects that stay. */
export function letGo(owner: KubeObject, kind: Kind, strangers: readonly KubeObject[]): Patch[] {
  return strangers
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .toSorted(byName)
    .map(({ metadata: { namespace, name = "" } }) => ({
      patch: "owners",
      kind,
      ref: { namespace, name },
      remove: [owner.metadata.uid ?? ""],
    }));
}

export function byName(a: KubeObject, b: KubeObject): number {
  const [left = "", right = ""] = [a.metadata.name, b.metadata.name];
  return left < right ? -1 : left > right ? 1 : 0;
}

/** Oldest first; of one second, by name. */
export function byAge(a: KubeObject, b: KubeObject): number {
  const [left = "", right = ""] = [a.metadata.creationTimestamp, b.metadata.creationTimestamp];
  return left < right ? -1 : left > right ? 1 : byName(a, b);
}
