import type { Diagnosis, Failure, PlannedRole, RoleIntent, Served, ServingIntent } from "@trivium/domain";
import type { Instant } from "@trivium/std";
import { diagnose } from "./health/index.ts";
import { reportHealth } from "./health/report-health.ts";
import { assessFit } from "./sizing/size-serving.ts";

/**
 * The steps from what a service asks for to what should be, the same for every dialect. The first step, `select`, comes before: the pods
 * depend on the profile that it chooses, so a dialect lowers its object with the choice at hand.
 */
export function serve(intent: ServingIntent): Served {
  const { choice, weights, sizing, roles: wanted, identity: _, paths: __, now, ...objects } = intent;
  // Sized before anything is fetched: weights that no node can load are not downloaded.
  const { misfit, fit } = assessFit(sizing);
  if (misfit !== undefined) return { is: "blocked", blocker: misfit, choice, fit };
  if (weights.is === "blocked") return { is: "blocked", blocker: weights.blocker, choice, fit };
  const roles = wanted.map((role) => withKnownCause(planRole(role, now), fit?.unmet));
  return { is: "planned", plan: { ...objects, roles }, choice, fit, diagnosis: diagnoseRoles(roles, intent) };
}

function planRole({ observed, ...role }: RoleIntent, now: Instant): PlannedRole {
  return { ...role, health: reportHealth({ ...observed, desired: role.replicas.current, now }) };
}

/** A pod that no node has enough memory for tells again what the sum of memory told: one cause, in one text. */
function withKnownCause(role: PlannedRole, known: Diagnosis | undefined): PlannedRole {
  const { failure } = role.health;
  if (known === undefined || failure?.kind !== "unschedulable" || failure.lacking?.includes("memory") !== true)
    return role;
  return { ...role, health: { ...role.health, failure: { ...failure, known } } };
}

/** Of the first role that does not serve. */
export const findRoleFailure = (roles: readonly PlannedRole[]): Failure | undefined =>
  roles.map(({ health }) => health.failure).find((one) => one !== undefined && !one.isPassing);

/** What keeps the first role that does not serve from serving. */
function diagnoseRoles(roles: readonly PlannedRole[], { paths }: ServingIntent): Diagnosis | undefined {
  const failure = findRoleFailure(roles);
  return failure === undefined ? undefined : diagnose(failure, { paths });
}
