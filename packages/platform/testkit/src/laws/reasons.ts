import type { Condition } from "@trivium/kube";
import type { Law, Vocabulary } from "./law.ts";
import { conditionsOf } from "./shape.ts";

const reasonForm = /^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/;

/** Every condition, reason and note is declared, and conditions have the form the API asks for. */
export const words: Law = ({ decide, words: declared }) => {
  const decision = decide();
  const conditions = conditionsOf(decision);
  const faults = undeclared(conditions, declared);
  const types = conditions.map(({ type }) => type);
  const twice = types.filter((type, i) => types.indexOf(type) !== i);
  faults.push(...twice.map((type) => `condition ${type} is said twice`));
  if (declared === undefined || decision.do === "release") return faults;
  for (const { reason } of decision.notes ?? []) {
    if (!declared.notes?.includes(reason)) faults.push(`note reason ${reason} is not declared`);
  }
  return faults;
};

export const undeclared = (conditions: readonly Condition[], declared: Vocabulary | undefined): string[] =>
  conditions.flatMap((condition) => faultsOf(condition, declared));

function faultsOf({ type, status, reason, message }: Condition, declared: Vocabulary | undefined): string[] {
  const faults: string[] = [];
  if (!["True", "False", "Unknown"].includes(status)) faults.push(`condition ${type} has status "${status}"`);
  if (!reasonForm.test(reason ?? "")) faults.push(`condition ${type} has reason "${reason}", which the API refuses`);
  if (typeof message !== "string") faults.push(`condition ${type} has no message`);
  if (declared === undefined) return faults;
  const reasons = declared.conditions[type];
  if (reasons === undefined) faults.push(`condition ${type} is not declared`);
  else if (!reasons.includes(reason)) faults.push(`reason ${reason} of condition ${type} is not declared`);
  return faults;
}
