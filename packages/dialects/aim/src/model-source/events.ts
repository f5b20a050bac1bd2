import type { DecidedCondition } from "@trivium/kube";
import type { Note } from "@trivium/reconcile";
import type { ModelSource } from "../objects.ts";
import type { LoweredSource } from "./lower.ts";

export interface SourceOutcome {
  readonly state: NonNullable<NonNullable<ModelSource["status"]>["status"]>;
  readonly reason: string;
  readonly message: string;
  readonly isBad: boolean;
}

export const missingSecret = (name: string): string =>
  `Secret ${name} not found in the namespace of the operator; create it there, or change spec.imagePullSecrets`;

/** What is recorded of a source: failed filters, the limit, Secrets that are missing. */
export function eventsOf(
  { missingSecrets }: LoweredSource,
  outcome: SourceOutcome,
  conditions: readonly DecidedCondition[],
): Note[] {
  const { reason, message } = outcome;
  const limit = conditions.find(({ reason: why }) => why === "LimitReached");
  return [
    ...(outcome.isBad || reason === "NoImagesDiscovered" ? [{ type: "Warning", reason, message } as const] : []),
    ...(limit === undefined ? [] : [{ type: "Warning", reason: "LimitReached", message: limit.message } as const]),
    ...missingSecrets.map(
      (name) => ({ type: "Warning", reason: "SecretNotFound", message: missingSecret(name) }) as const,
    ),
  ];
}
