import type { CanaryPlan, FieldPaths } from "@trivium/domain";
import type { Instant } from "@trivium/std";
import { diagnose, findFailure, formatDiagnosis } from "../health/index.ts";
import { servingAnnotations } from "./annotation-names.ts";

export interface CanaryReport {
  readonly status: "True" | "False";
  readonly reason: "CanaryServes" | "CanaryNotAvailable" | "CanaryNameTaken";
  readonly message: string;
}

interface CanaryContext {
  readonly paths: FieldPaths;
  readonly now: Instant;
  /** What asks for the canary; the annotation where the API has no field. */
  readonly setting?: string;
}

const defaultSetting = `annotation ${servingAnnotations.canaryPercent}`;

/** How the newest template gets on while it is tried out: its share, or why it gets no requests. */
export function describeCanary(
  { workload, percent, isUp, taken, pods }: CanaryPlan,
  { paths, now, setting = defaultSetting }: CanaryContext,
): CanaryReport {
  if (taken !== undefined)
    return { status: "False", reason: "CanaryNameTaken", message: describeTaken(taken, setting) };
  if (isUp) {
    const message = `${percent}% of the requests go to Deployment ${workload.name}; remove ${setting} to roll it out`;
    return { status: "True", reason: "CanaryServes", message };
  }
  const failure = findFailure(
    pods.filter(({ isReady }) => !isReady),
    undefined,
    now,
  );
  const why = failure === undefined ? "its pods are not ready yet" : formatDiagnosis(diagnose(failure, { paths }));
  const message = `No requests go to Deployment ${workload.name}: ${why}`;
  return { status: "False", reason: "CanaryNotAvailable", message };
}

/** Why no canary runs: nothing in front of the service shares requests. It is rolled out at once. */
export const describeUnsharedCanary = (remedy: string, setting = defaultSetting): string =>
  `${setting.replace(/^a/, "A")} has no effect: requests are shared by an HTTPRoute, and this service has none; ${remedy}`;

function describeTaken({ kind, name, owner }: NonNullable<CanaryPlan["taken"]>, setting: string): string {
  const [holder, what] =
    owner === undefined ? ["exists and is not managed by Trivium", "it"] : [`is already used by ${owner}`, owner];
  return `The new spec is not tried out: ${kind} ${name} ${holder}; delete or rename ${what}, or remove ${setting} to roll the spec out`;
}
