import type { DaemonSet, Pod } from "@trivium/kube";
import type { Instant } from "@trivium/std";
import { isAvailable, isTerminating } from "../pods/pod-state.ts";
import { limitsOf } from "./limits.ts";
import { isUpdated } from "./new-pod.ts";
import type { Place } from "./place.ts";

export interface Replacement {
  readonly make: readonly string[];
  readonly remove: readonly Pod[];
}

interface Pair {
  readonly node: string;
  readonly young: Pod | undefined;
  readonly old: Pod | undefined;
  readonly shouldRun: boolean;
}

/** The next pods to be replaced: those that do not work at once, others as far as pods may be missing or stand side by side. */
export function planReplacement(set: DaemonSet, places: readonly Place[], hash: string, now: Instant): Replacement {
  const desired = places.filter(({ fit }) => fit.shouldRun).length;
  const { surge, unavailable } = limitsOf(set, desired);
  const minReady = set.spec.minReadySeconds ?? 0;
  const works = (pod: Pod | undefined): boolean => pod !== undefined && isAvailable(pod, minReady, now);
  const considered = places.filter(({ fit, pods }) => fit.shouldRun || pods.length > 0);
  const pairs = considered.map((place) => pairOf(set, place, hash));
  return surge === 0 ? inPlace(pairs, unavailable, works) : sideBySide(pairs, { surge, desired }, works);
}

/** Nothing for a node with more pods than can be: those go first. */
function pairOf(set: DaemonSet, { node, fit, pods }: Place, hash: string): Pair | undefined {
  const staying = pods.filter((pod) => !isTerminating(pod));
  const young = staying.filter((pod) => isUpdated(set, pod, hash));
  const old = staying.filter((pod) => !isUpdated(set, pod, hash));
  if (young.length > 1 || old.length > 1) return undefined;
  return { node, young: young[0], old: old[0], shouldRun: fit.shouldRun };
}

type Works = (pod: Pod | undefined) => boolean;

function inPlace(pairs: readonly (Pair | undefined)[], unavailable: number, works: Works): Replacement {
  const single = pairs.filter(
    (pair) => pair !== undefined && (pair.young === undefined) !== (pair.old === undefined),
  ) as Pair[];
  const missing = pairs.length - single.filter(({ young, old }) => works(young ?? old)).length;
  const outdated = single.flatMap(({ old }) => old ?? []);
  const broken = outdated.filter((pod) => !works(pod));
  const candidates = outdated.filter(works).slice(0, Math.max(0, unavailable - missing));
  return { make: [], remove: [...broken, ...candidates] };
}

function sideBySide(
  pairs: readonly (Pair | undefined)[],
  limits: { surge: number; desired: number },
  works: Works,
): Replacement {
  const known = pairs.filter((pair) => pair !== undefined);
  const available = known.filter(({ young, old }) => works(old ?? young)).length;
  const double = known.filter(({ young, old }) => young !== undefined && old !== undefined);
  const alone = known.filter(({ young, old }) => young === undefined && old !== undefined);
  const surging = pairs.length - known.length + double.filter(({ young }) => !works(young)).length;
  const replaced = double.filter(({ young }) => works(young));
  const strays = alone.filter(({ shouldRun }) => !shouldRun);
  const spare = Math.max(0, available - limits.desired);
  const going = [
    ...replaced,
    ...strays.filter(({ old }) => !works(old)),
    ...strays.filter(({ old }) => works(old)).slice(0, spare),
  ];
  const waiting = alone.filter(({ shouldRun }) => shouldRun);
  const urgent = waiting.filter(({ old }) => !works(old));
  const candidates = waiting.filter(({ old }) => works(old)).slice(0, Math.max(0, limits.surge - surging));
  return { make: [...urgent, ...candidates].map(({ node }) => node), remove: going.flatMap(({ old }) => old ?? []) };
}
