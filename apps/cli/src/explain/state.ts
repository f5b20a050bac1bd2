import { type AnyObject, type api, type Condition, findCondition } from "@trivium/kube";

/** Where an object stands: one word, and why where it says so. */
export interface Standing {
  readonly is: "ready" | "idle" | "progressing" | "failed" | "degraded";
  readonly word: string;
  readonly why?: string | undefined;
}

interface CommonStatus {
  readonly status?: unknown;
  readonly phase?: unknown;
  readonly state?: unknown;
  /** Of kinds that have no conditions. */
  readonly failureMessage?: unknown;
  readonly conditions?: readonly Condition[];
}

/** The same question for every kind: its own word for where it stands, and the message of the condition that matters. */
export function standingOf(object: AnyObject): Standing {
  switch (object.kind) {
    case "Pod":
      return standingOfPod(object as AnyObject & { status?: api.PodStatus });
    case "Deployment":
    case "ReplicaSet":
    case "StatefulSet":
      return standingOfCopies(object);
    case "Job":
      return standingOfJob(object);
    default:
      return standingByConditions(object);
  }
}

/** The condition that sums the others up: LLMKube calls it Available. */
export const readyOf = (conditions: readonly Condition[] | undefined): Condition | undefined =>
  findCondition(conditions, "Ready") ?? findCondition(conditions, "Available");

function standingByConditions(object: AnyObject): Standing {
  const status = (object.status ?? {}) as CommonStatus;
  const ready = readyOf(status.conditions);
  const own = [status.status, status.phase, status.state].find((each) => typeof each === "string" && each !== "");
  const word = String(own ?? ready?.reason ?? "Exists");
  if (ready === undefined) {
    const failure = failureOf(status);
    return { is: failure.why !== undefined ? "failed" : own === undefined ? "ready" : byWord(word), word, ...failure };
  }
  const says = (type: string) => {
    const condition = findCondition(status.conditions, type);
    return condition?.status === "True" && condition.message ? condition : undefined;
  };
  const fault = says("Failure") ?? says("Degraded");
  if (ready.status === "True") {
    // What answers may still be broken: a service whose model was deleted, a change that cannot be carried out.
    const unmet = fault ?? (status.conditions ?? []).find(isMissing);
    if (unmet !== undefined) return { is: "degraded", word: String(own ?? "Ready"), why: unmet.message };
    return { is: "ready", word: String(own ?? "Ready") };
  }
  const cause = fault ?? says("Progressing") ?? ready;
  const reasons = [cause.reason ?? "", ...unmetReasons(status.conditions ?? [])].join(" ");
  return { is: fault === undefined ? byWord(`${word} ${reasons}`) : "failed", word, why: cause.message };
}

/** Something that what answers now will need again does not exist any more. */
const isMissing = ({ type, status, reason = "" }: Condition): boolean =>
  type.endsWith("Ready") && status === "False" && /NotFound|Missing/.test(reason);

const failureOf = ({ failureMessage }: CommonStatus): Pick<Standing, "why"> =>
  typeof failureMessage === "string" && failureMessage !== "" ? { why: failureMessage } : {};

/** Something that it needs may be missing while it says that it waits. */
const unmetReasons = (conditions: readonly Condition[]): string[] =>
  conditions.flatMap(({ status, type, reason }) => (status === "False" && type !== "Failure" ? [reason ?? ""] : []));

/** Words that dialects use for what a person has to see to, for what sleeps on purpose, and for what is done. */
const bad =
  /Fail|Degraded|NotFound|NotAvailable|Unavailable|Invalid|Error|Missing|Refused|Rejected|Conflict|Exceeded|NoNode|Insufficient|WaitingForGPU|Several|Multiple|Ambiguous|Unschedulable|Lost|StorageFull|DoesNotFit/;
/** Reasons that a start has on its way, whatever their name. */
const usual = /MinimumReplicasUnavailable|NoReadyReplicas|ComponentNotReady/g;
const asleep = /Stopped|Asleep|Idle|ScaledToZero|Suspended/;
const done = /^(Ready|Bound|Active|Completed?|Succeeded|Available)\b/;

function byWord(all: string): Standing["is"] {
  const words = all.replace(usual, "");
  if (asleep.test(words)) return "idle";
  if (bad.test(words)) return "failed";
  return done.test(words) ? "ready" : "progressing";
}

function standingOfPod({ status }: { readonly status?: api.PodStatus }): Standing {
  const containers = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  const stuck = containers.find(({ state }) => state?.waiting?.message !== undefined);
  const ended = containers.find(({ state }) => (state?.terminated?.exitCode ?? 0) !== 0);
  const phase = status?.phase ?? "Pending";
  const conditions = (status?.conditions ?? []) as readonly Condition[];
  if (phase === "Succeeded" || findCondition(conditions, "Ready")?.status === "True")
    return { is: "ready", word: phase };
  const unplaced = findCondition(conditions, "PodScheduled");
  if (unplaced?.status === "False") return { is: "failed", word: phase, why: unplaced.message };
  if (stuck !== undefined) {
    const { reason, message } = stuck.state?.waiting ?? {};
    return { is: "failed", word: reason ?? phase, why: message };
  }
  const { reason, message, exitCode } = ended?.state?.terminated ?? {};
  if (ended !== undefined) return { is: "failed", word: reason ?? phase, why: message ?? `exit code ${exitCode}` };
  return { is: "progressing", word: phase };
}

function standingOfCopies({ spec, status }: AnyObject): Standing {
  const wanted = Number((spec as { replicas?: number } | undefined)?.replicas ?? 1);
  const ready = Number((status as { readyReplicas?: number } | undefined)?.readyReplicas ?? 0);
  const conditions = (status as CommonStatus | undefined)?.conditions;
  const failure = findCondition(conditions, "ReplicaFailure");
  const why = failure?.status === "True" ? failure.message : undefined;
  return {
    is: ready >= wanted ? "ready" : why === undefined ? "progressing" : "failed",
    word: `${ready}/${wanted}`,
    why,
  };
}

function standingOfJob({ status }: AnyObject): Standing {
  const conditions = (status as CommonStatus | undefined)?.conditions;
  if (findCondition(conditions, "Complete")?.status === "True") return { is: "ready", word: "Complete" };
  const failed = findCondition(conditions, "Failed");
  if (failed?.status === "True") return { is: "failed", word: "Failed", why: failed.message };
  return { is: "progressing", word: "Running" };
}
