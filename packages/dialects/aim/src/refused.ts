import type { FieldPaths } from "@trivium/domain";
import { splitRefusals } from "@trivium/engines";
import { type DecidedCondition, findCondition, type KubeObject, replaceConditions } from "@trivium/kube";
import type { Refusal } from "@trivium/reconcile";
import { condition, conditionsFor } from "./conditions.ts";

/** What a kind says when one of its children is refused. */
export interface RefusedReasons {
  readonly paths: FieldPaths;
  /** The state that the kind shows in `kubectl get`. */
  readonly state: string;
  /** The condition that speaks of a child, by its kind. */
  readonly parts?: Readonly<Record<string, string>>;
  /** Kinds of children that it works without, besides those that every service works without. */
  readonly beside?: readonly string[];
  /** Conditions that are False with everything else. */
  readonly also?: readonly string[];
  /** Conditions that say how the kind fares besides Ready; Progressing and Failure when left out. */
  readonly overall?: readonly ("Progressing" | "Failure" | "Degraded")[];
}

const reason = "ApplyFailed";

interface Stateful {
  readonly status?: unknown;
  readonly conditions?: unknown;
}

/** The decided status with a refused child as its cause: the same for every kind of this dialect. */
export function raiseRefused<S extends Stateful>(
  words: RefusedReasons,
  object: KubeObject,
  status: S,
  refusals: readonly Refusal[],
): S {
  const { vital, beside } = splitRefusals(refusals, words.paths, words.beside);
  const reported = (message: string) => ({ reason, message });
  const before = status.conditions as readonly DecidedCondition[] | undefined;
  const part = (refused: typeof vital): DecidedCondition[] => {
    const type = words.parts?.[refused?.child.kind ?? ""];
    if (refused === undefined || type === undefined) return [];
    // What runs from before still answers, although it cannot be changed; not where its name belongs to another owner.
    const isStanding = refused === vital && !refused.isTaken && findCondition(before, type)?.status === "True";
    return isStanding ? [] : [condition(type, "False", reported(refused.message))];
  };
  const overall =
    vital === undefined
      ? []
      : [
          ...(words.also ?? []).map((type) => condition(type, "False", reported(vital.message))),
          ...standing(words, reported(vital.message)),
        ];
  const changes = conditionsFor(object, [...part(vital), ...part(beside), ...overall]) as DecidedCondition[];
  return {
    ...status,
    ...(vital === undefined ? {} : { status: words.state }),
    conditions: replaceConditions(before, changes),
  };
}

const usual = ["Progressing", "Failure"] as const;

const standing = (
  { overall = usual }: RefusedReasons,
  reported: { reason: string; message: string },
): DecidedCondition[] => [
  condition("Ready", "False", reported),
  ...overall.map((type) => condition(type, type === "Progressing" ? "False" : "True", reported)),
];
