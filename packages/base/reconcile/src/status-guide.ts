import type { AnyObject } from "@trivium/kube";
import { parseSourceUri } from "@trivium/std";

/**
 * How the status of a dialect's objects is read: data for code that reports the state of an object (`explain`, lists over several
 * dialects) without knowing any dialect.
 */
export interface StatusGuide {
  /** The condition that sums the others up. */
  readonly summary: string;
  /** Conditions whose message is the cause while they are True, the most telling first. */
  readonly causes: readonly string[];
  /** Conditions that report something wrong while they are True. */
  readonly faults: readonly string[];
  /** Conditions that say how far an object is, not whether something is wrong. */
  readonly steps: readonly string[];
  /** What each reason, and each word of a phase, means for a person. What is not listed is work in progress. */
  readonly meanings: Readonly<Record<Meaning, readonly string[]>>;
  /** The objects that this one depends on, in the order in which they are needed: those of the dialect, and claims with its weights. */
  uses(object: AnyObject): readonly Relation[];
  /** What an object without conditions waits for, where its status reports it. */
  waitingFor?(object: AnyObject): string | undefined;
  /** The kinds among those that are models. */
  readonly models: readonly string[];
}

/** `action`: a person has to act. `idle`: it does not run, on purpose. `fine`: nothing is wrong. */
export type Meaning = "action" | "progressing" | "idle" | "fine";

/** An object that another one names: by kind, or by whichever of several kinds there is. */
export interface Relation {
  readonly kinds: readonly string[];
  readonly name: string;
  readonly namespace?: string | undefined;
}

/** The claim that a source of weights names, in the namespace of the object unless the source names another. */
export function claimOf(source: string, namespace: string | undefined): readonly Relation[] {
  const uri = parseSourceUri(source);
  if (uri.scheme !== "pvc") return [];
  return [{ kinds: ["PersistentVolumeClaim"], name: uri.claim, namespace: uri.namespace ?? namespace }];
}

/** What the reasons and phases of an object mean together: an object that is idle on purpose needs no action. */
export function meaningOf(guide: Pick<StatusGuide, "meanings">, words: readonly string[]): Meaning {
  const has = (meaning: Meaning): boolean => words.some((word) => guide.meanings[meaning].includes(word));
  if (has("idle")) return "idle";
  return has("action") ? "action" : "progressing";
}

/** `true` if both lists have the same words; otherwise it does not compile. */
export type SameWords<A extends string, B extends string> = [Exclude<A, B>, Exclude<B, A>] extends [never, never]
  ? true
  : never;

/** Every reason of a vocabulary of conditions. */
export type ReasonOf<V extends { readonly conditions: Readonly<Record<string, readonly string[]>> }> =
  V["conditions"][keyof V["conditions"]][number];

/** For kinds of Kubernetes itself and of other controllers. */
export const plainStatusGuide: StatusGuide = {
  summary: "Ready",
  causes: [],
  faults: [],
  steps: ["Ready"],
  meanings: {
    action: ["Failed", "Lost"],
    progressing: [],
    idle: [],
    fine: ["Active", "Available", "Bound", "Complete", "Ready", "Succeeded"],
  },
  uses: () => [],
  models: [],
};
