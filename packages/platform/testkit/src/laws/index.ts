import type { KubeObject } from "@trivium/kube";
import type { Decision, StatusGuide } from "@trivium/reconcile";
import { blind } from "./blind.ts";
import { clock } from "./clock.ts";
import { fixpoint } from "./fixpoint.ts";
import type { Case, Law, LawfulReconciler, LawName, Trial, Violation, Vocabulary } from "./law.ts";
import { order } from "./order.ts";
import { pure } from "./pure.ts";
import { words } from "./reasons.ts";
import { recalls } from "./recalls.ts";
import { refused } from "./refused.ts";
import { remedy } from "./remedy.ts";

const laws: Readonly<Record<LawName, Law>> = { pure, blind, order, fixpoint, recalls, clock, words, refused, remedy };

/** Runs every law on every case of a reconciler. A test is `assert.deepEqual(violationsOf(reconciler, cases), [])`. Not *remedy* without a guide. */
export function violationsOf<O extends KubeObject, Observed>(
  reconciler: LawfulReconciler<O, Observed>,
  cases: readonly Case<O, Observed>[],
  declared?: Vocabulary,
  guide?: StatusGuide,
): Violation[] {
  return cases.flatMap((each) => {
    const trial: Trial = {
      case: each,
      words: declared,
      guide,
      isPlain: reconciler.hasPlainConditions === true,
      recalls: reconciler.recalls?.bind(reconciler) as Trial["recalls"],
      refused: reconciler.refused?.bind(reconciler) as Trial["refused"],
      decide: ({ object = each.object, observed = each.observed, now = each.now } = {}) =>
        reconciler.decide(object as O, observed as Observed, now) as Decision<unknown>,
    };
    return Object.entries(laws).flatMap(([name, law]) =>
      faultsOf(law, trial).map((what) => ({ law: name as LawName, case: each.name, what })),
    );
  });
}

/** A decision is total: one that throws breaks whatever law was looking. */
function faultsOf(law: Law, trial: Trial): readonly string[] {
  try {
    return law(trial);
  } catch (error) {
    return [`throws: ${error instanceof Error ? error.message : String(error)}`];
  }
}

export { type GrowthCase, growthNode, nameOfObject } from "./growth.ts";
export { growthOfKind, type NamedLater, type ObjectsOf, untriedKinds } from "./growth-kinds.ts";
export { podWorlds } from "./growth-pods.ts";
export type { Case, LawName, Violation, Vocabulary } from "./law.ts";
export { hasInstruction, isInstruction, namesObject } from "./remedy.ts";
export { growthNamespace, type ManyServices, testGrowth } from "./test-growth.ts";
export { testTakeOver } from "./test-take-over.ts";
