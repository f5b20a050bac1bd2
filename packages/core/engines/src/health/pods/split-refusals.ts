import type { FieldPaths } from "@trivium/domain";
import type { Refusal } from "@trivium/reconcile";
import { diagnoseRefusal } from "../diagnosis/diagnose-refusal.ts";
import { formatDiagnosis } from "../diagnosis/format-diagnosis.ts";

/** A service answers without these: they scale it and protect it. */
const besideServices = ["HorizontalPodAutoscaler", "ScaledObject", "PodDisruptionBudget", "OpenTelemetryCollector"];

export interface RefusedChildren {
  /** The first refusal that keeps the object from working, in words, and which child it is about. */
  readonly vital?: RefusedChild | undefined;
  /** The first of a child that the object works without. */
  readonly beside?: RefusedChild | undefined;
}

export interface RefusedChild {
  readonly child: Refusal["child"];
  readonly message: string;
  /** An object of another owner has the name: what answers under it is not this child. */
  readonly isTaken: boolean;
}

/** Tells what keeps an object from working from what only limits it. `dispensable` are kinds of children that it works without. */
export function splitRefusals(
  refusals: readonly Refusal[],
  paths: FieldPaths,
  dispensable: readonly string[] = [],
): RefusedChildren {
  const isBeside = ({ child }: Refusal): boolean => [...besideServices, ...dispensable].includes(child.kind);
  const first = (one: Refusal | undefined): RefusedChild | undefined =>
    one === undefined
      ? undefined
      : {
          child: one.child,
          message: formatDiagnosis(diagnoseRefusal(one, paths)),
          isTaken: one.reason === "NameTaken",
        };
  return { vital: first(refusals.find((one) => !isBeside(one))), beside: first(refusals.find(isBeside)) };
}
