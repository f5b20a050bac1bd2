import { lastLogLine } from "@trivium/engines";
import { type AnyObject, type api, type Condition, findCondition } from "@trivium/kube";
import { meaningOf, type StatusGuide, unmanagedReason } from "@trivium/reconcile";

/** Where an object stands: one word, and why where it says so. */
export interface Standing {
  readonly is: "ready" | "idle" | "progressing" | "failed" | "degraded";
  readonly word: string;
  readonly why?: string | undefined;
}

/** The words of `get`, `ps` and `status` for all kinds of all dialects; an object's own word is its reason. */
export const statusWords: Readonly<Record<Standing["is"], string>> = {
  ready: "Ready",
  idle: "Idle",
  progressing: "Progressing",
  failed: "Failed",
  degraded: "Degraded",
};

interface CommonStatus {
  readonly status?: unknown;
  readonly phase?: unknown;
  readonly state?: unknown;
  /** Of kinds that have no conditions. */
  readonly failureMessage?: unknown;
  readonly conditions?: readonly Condition[];
}

/** The same question for every kind: its own word for where it stands, and the message of the condition that matters. */
export function standingOf(object: AnyObject, guide: StatusGuide): Standing {
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
      return standingByConditions(object, guide);
  }
}

const conditionsOf = ({ status }: AnyObject): readonly Condition[] => (status as CommonStatus)?.conditions ?? [];

/** The condition that sums the others up. */
export const readyOf = (object: AnyObject, { summary }: StatusGuide): Condition | undefined =>
  findCondition(conditionsOf(object), summary);

function standingByConditions(object: AnyObject, guide: StatusGuide): Standing {
  const status = (object.status ?? {}) as CommonStatus;
  const ready = readyOf(object, guide);
  const own = [status.status, status.phase, status.state].find((each) => typeof each === "string" && each !== "");
  const word = String(own ?? ready?.reason ?? "Exists");
  if (ready === undefined) return withoutConditions(object, word, guide);
  // Everything else in its status is from the last pass over it.
  if (ready.reason === unmanagedReason) return { is: "failed", word: unmanagedReason, why: ready.message };
  const causes = guide.causes.flatMap((type) => findCondition(status.conditions, type) ?? []);
  const cause = causes.find((condition) => condition.status === "True" && condition.message);
  const fault = cause !== undefined && guide.faults.includes(cause.type) ? cause : undefined;
  const unmet = (status.conditions ?? []).filter((condition) => isUnmet(condition, guide));
  if (ready.status === "True") {
    // What answers may still be broken: a service whose model was deleted, a change that cannot be carried out.
    const broken = fault ?? unmet.find(({ reason = "" }) => meaningOf(guide, [reason]) === "action");
    if (broken !== undefined) return { is: "degraded", word: String(own ?? "Ready"), why: broken.message };
    // Some APIs call what sleeps ready, since the next request is answered.
    const idle = status.conditions?.find(({ reason = "" }) => guide.meanings.idle.includes(reason));
    if (idle !== undefined) return { is: "idle", word: idle.reason ?? word, why: idle.message };
    return { is: "ready", word: String(own ?? "Ready") };
  }
  const summed = [cause, ready].filter((condition) => condition !== undefined);
  const reasons = [...summed, ...unmet].flatMap(({ reason = [] }) => reason);
  const is = fault !== undefined ? "failed" : standings[meaningOf(guide, [word, ...reasons])];
  if (is !== "failed") return { is, word, why: (cause ?? ready).message };
  // What needs the person is the cause, also where the summary still waits for something else.
  const isSummedUp = fault !== undefined || needsAction(guide, [word, ...summed.flatMap(({ reason = [] }) => reason)]);
  const acute = isSummedUp ? undefined : unmet.find(({ reason = "" }) => needsAction(guide, [reason]));
  return { is, word: wordOfFailure(word, reasons, guide), why: (acute ?? cause ?? ready).message };
}

const needsAction = (guide: StatusGuide, words: readonly string[]): boolean => meaningOf(guide, words) === "action";

/** A phase such as Creating goes on while a person has to act: the reason tells more. */
const wordOfFailure = (word: string, reasons: readonly string[], guide: StatusGuide): string =>
  guide.meanings.action.includes(word) ? word : (reasons.find((one) => guide.meanings.action.includes(one)) ?? word);

const standings = { action: "failed", progressing: "progressing", idle: "idle", fine: "ready" } as const;

/** A condition that should be True and is not. Something that it needs may be missing while an object says that it waits. */
const isUnmet = ({ type, status }: Condition, { faults, steps }: StatusGuide): boolean =>
  status === "False" && !faults.includes(type) && !steps.includes(type);

function withoutConditions(object: AnyObject, word: string, guide: StatusGuide): Standing {
  const { failureMessage } = (object.status ?? {}) as CommonStatus;
  if (typeof failureMessage === "string" && failureMessage !== "") return { is: "failed", word, why: failureMessage };
  if (word === "Exists" || guide.meanings.fine.includes(word)) return { is: "ready", word };
  return { is: standings[meaningOf(guide, [word])], word, why: guide.waitingFor?.(object) };
}

/** Conditions of an object that say that something is wrong. What was stopped on purpose is not. */
export function failingConditions(object: AnyObject, guide: StatusGuide): readonly Condition[] {
  const unexpected = conditionsOf(object).filter(({ reason = "" }) => !guide.meanings.idle.includes(reason));
  return unexpected.filter((condition) =>
    guide.faults.includes(condition.type) ? condition.status === "True" : isUnmet(condition, guide),
  );
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
  if (ended !== undefined)
    return { is: "failed", word: reason ?? phase, why: lastLogLine(message ?? "") || `exit code ${exitCode}` };
  if (phase === "Failed") return { is: "failed", word: status?.reason ?? phase, why: status?.message };
  return { is: "progressing", word: phase };
}

function standingOfCopies(object: AnyObject): Standing {
  const { spec, status } = object;
  const wanted = Number((spec as { replicas?: number } | undefined)?.replicas ?? 1);
  const ready = Number((status as { readyReplicas?: number } | undefined)?.readyReplicas ?? 0);
  const failure = findCondition(conditionsOf(object), "ReplicaFailure");
  const why = failure?.status === "True" ? failure.message : undefined;
  return {
    is: ready >= wanted ? "ready" : why === undefined ? "progressing" : "failed",
    word: `${ready}/${wanted}`,
    why,
  };
}

function standingOfJob(object: AnyObject): Standing {
  const conditions = conditionsOf(object);
  if (findCondition(conditions, "Complete")?.status === "True") return { is: "ready", word: "Complete" };
  const failed = findCondition(conditions, "Failed");
  if (failed?.status === "True") return { is: "failed", word: "Failed", why: failed.message };
  return { is: "progressing", word: "Running" };
}
