import type { Shortage, WakeState } from "@trivium/domain";
import { type api, type Deployment, findCondition, type Node, type Pod, type StatefulSet } from "@trivium/kube";
import { parseTime } from "@trivium/std";
import { describeUnschedulable, lackingResources } from "../health/diagnosis/describe-unschedulable.ts";
import { diagnose, findFailure, formatDiagnosis, lastLogLine, sanitizeOutput, summarizePod } from "../health/index.ts";
import { findShortages } from "../health/pods/find-shortages.ts";

export type Workload = Deployment | StatefulSet;

/** Waiting reasons that no patience cures. */
const hopeless = new Set([
  "CrashLoopBackOff",
  "ErrImagePull",
  "ImagePullBackOff",
  "ErrImageNeverPull",
  "InvalidImageName",
  "CreateContainerConfigError",
  "CreateContainerError",
  "RunContainerError",
]);

/** More than this of a container's words helps no caller. */
const maxWords = 300;

/** What stands between a Service without ready endpoints and an answer. With `nodes`, what does not fit is told with amounts. */
export function summarizeWaking(
  workloads: readonly Workload[],
  pods: readonly Pod[],
  nodes: readonly Node[] = [],
): WakeState {
  // Pods that are left over from before do not count: they are on their way out.
  if (workloads.length > 0 && workloads.every(isAsleep)) return { is: "asleep" };
  const living = pods.filter(isLiving);
  if (living.length === 0) return withoutPods(workloads);
  const states = living.map((pod) => stateOfPod(pod, nodes));
  // The pod that has come furthest decides: while one may still make it, nobody gives up.
  return (
    states.find(({ is }) => is === "coming") ??
    states.find(({ is }) => is === "unschedulable") ??
    (states[0] as WakeState)
  );
}

export const isAsleep = (workload: Workload): boolean => (workload.spec?.replicas ?? 1) === 0;

function withoutPods(workloads: readonly Workload[]): WakeState {
  if (workloads.length === 0)
    return { is: "nobody", why: "no Deployment or StatefulSet has pods that match its selector" };
  const failure = workloads.map(failureOf).find((found) => found !== undefined);
  return failure === undefined ? { is: "coming", what: "creating pods" } : { is: "stuck", why: failure };
}

function failureOf(workload: Workload): string | undefined {
  const conditions = workload.status?.conditions as { type: string; status: string; message?: string }[] | undefined;
  const failure = findCondition(conditions, "ReplicaFailure");
  if (failure?.status !== "True") return undefined;
  return `${workload.kind} ${workload.metadata.name} cannot create pods: ${failure.message ?? "no reason given"}`;
}

export function isLiving(pod: Pod): boolean {
  const phase = pod.status?.phase;
  return pod.metadata.deletionTimestamp === undefined && phase !== "Failed" && phase !== "Succeeded";
}

function stateOfPod(pod: Pod, nodes: readonly Node[]): WakeState {
  const name = pod.metadata.name ?? "";
  const scheduled = findCondition(pod.status?.conditions, "PodScheduled");
  if (scheduled?.status === "False") {
    const message = scheduled.message ?? "no node is available";
    const since =
      scheduled.lastTransitionTime === undefined ? undefined : parseTime(scheduled.lastTransitionTime as string);
    const lacking = lackingResources(message);
    const shortages = nodes.length === 0 ? undefined : findShortages(pod, lacking, nodes);
    const why = causeOf(pod, shortages) ?? describeUnschedulable(message, { shortages });
    return { is: "unschedulable", why, since, needsSpace: lacking.length > 0 };
  }
  const { initContainerStatuses = [], containerStatuses = [] } = pod.status ?? {};
  for (const status of [...initContainerStatuses, ...containerStatuses]) {
    const reason = status.state?.waiting?.reason;
    if (reason === undefined || !hopeless.has(reason)) continue;
    const cause = causeOf(pod);
    if (cause !== undefined) return { is: "stuck", why: cause };
    const detail = wordsOf(status);
    return { is: "stuck", why: `${reason}: container ${status.name} of pod ${name}${detail ? `: ${detail}` : ""}` };
  }
  const initializing = initContainerStatuses.find(({ ready, state }) => !ready && state?.running !== undefined);
  if (initializing !== undefined) {
    return {
      is: "coming",
      what: `running ${initializing.name}`,
      reading: { pod: name, container: initializing.name, doing: "downloading weights" },
    };
  }
  const loading = containerStatuses.find(({ ready, state }) => !ready && state?.running !== undefined);
  if (loading !== undefined) {
    return {
      is: "coming",
      what: "loading the model",
      reading: { pod: name, container: loading.name, doing: "loading the model" },
    };
  }
  return { is: "coming", what: scheduled?.status === "True" ? "starting containers" : "scheduling" };
}

/** The cause and the remedy, as a status gives them; nothing where the pod does not show them. */
function causeOf(pod: Pod, shortages?: readonly Shortage[]): string | undefined {
  const failure = findFailure([{ ...summarizePod(pod, ""), ...(shortages && { shortages }) }]);
  return failure === undefined ? undefined : formatDiagnosis(diagnose(failure, { paths: {} }));
}

/** Whether requests can be answered now, or after a start that nothing is known to prevent. */
export const canStart = ({ is }: WakeState): boolean => is === "asleep" || is === "coming";

/** What a container said when it fell tells more than how long it has to wait for its next try. */
function wordsOf({ state, lastState }: api.ContainerStatus): string {
  const last = lastLogLine(sanitizeOutput(lastState?.terminated?.message));
  return sanitizeOutput(last || state?.waiting?.message, maxWords);
}

/** Whether a pod of a workload is on its way: such a workload is never put to zero. */
export function isLoading(pod: Pod): boolean {
  return isLiving(pod) && findCondition(pod.status?.conditions, "Ready")?.status !== "True";
}
