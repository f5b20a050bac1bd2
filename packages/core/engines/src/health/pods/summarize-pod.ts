import type { ContainerEnd, ContainerState, ObservedContainer, ObservedPod } from "@trivium/domain";
import { type api, findCondition, type Pod } from "@trivium/kube";
import { parseTime } from "@trivium/std";
import { sanitizeOutput } from "../sanitize-output.ts";

/** Reads a pod. `template` names the annotation that tells which template it was made from. */
export function summarizePod(pod: Pod, template: string): ObservedPod {
  const { metadata, spec, status = {} } = pod;
  const scheduled = findCondition(status.conditions, "PodScheduled");
  const prepares = [...(spec?.initContainers ?? [])].map(({ name }) => name);
  const containers = [
    ...(status.initContainerStatuses ?? []).map((one) =>
      containerOf(one, "prepares", memoryOf(spec?.initContainers, one)),
    ),
    ...(status.containerStatuses ?? []).map((one) => containerOf(one, "serves", memoryOf(spec?.containers, one))),
  ];
  return {
    name: metadata.name ?? "",
    createdAt: parseTime(metadata.creationTimestamp ?? ""),
    node: spec?.nodeName,
    address: status.podIP,
    phase: status.phase ?? "Pending",
    isReady: findCondition(status.conditions, "Ready")?.status === "True",
    isLeaving: metadata.deletionTimestamp !== undefined,
    template: metadata.annotations?.[template],
    unschedulable:
      scheduled?.status === "False" && scheduled.reason === "Unschedulable" ? (scheduled.message ?? "") : undefined,
    failure: status.phase === "Failed" && status.reason ? `${status.reason}: ${status.message ?? ""}` : undefined,
    // Statuses come in any order; the spec has the one in which they run.
    containers: containers.sort((a, b) => orderOf(a, prepares) - orderOf(b, prepares)),
    ...standInOf(metadata.annotations),
    ...(spec?.restartPolicy === "Never" ? { isOneShot: true as const } : {}),
  };
}

/** Where a node without the model server of the image writes which one its own engine stands in for. */
const standInAnnotation = "trivium.dev/stands-in-for";

function standInOf(annotations: Readonly<Record<string, string>> | undefined): Pick<ObservedPod, "standIn"> {
  const standIn = annotations?.[standInAnnotation];
  return standIn ? { standIn } : {};
}

type MemoryStated = Pick<ObservedContainer, "memoryLimit" | "memoryRequest">;

function memoryOf(containers: readonly api.Container[] | undefined, { name }: api.ContainerStatus): MemoryStated {
  const { limits, requests } = containers?.find((one) => one.name === name)?.resources ?? {};
  if (limits?.memory !== undefined) return { memoryLimit: String(limits.memory) };
  return requests?.memory === undefined ? {} : { memoryRequest: String(requests.memory) };
}

const orderOf = ({ name, role }: ObservedContainer, prepares: readonly string[]): number =>
  role === "prepares" ? prepares.indexOf(name) : prepares.length;

function containerOf(
  status: api.ContainerStatus,
  role: ObservedContainer["role"],
  memory: MemoryStated,
): ObservedContainer {
  const end = status.lastState?.terminated;
  const isOut = end?.reason === "OOMKilled" || status.state?.terminated?.reason === "OOMKilled";
  return {
    name: status.name,
    role,
    isReady: status.ready,
    restarts: status.restartCount,
    state: stateOf(status),
    lastEnd: end === undefined ? undefined : endOf(end),
    ...(isOut ? memory : {}),
  };
}

function stateOf({ state, started }: api.ContainerStatus): ContainerState {
  if (state?.running !== undefined)
    return { is: "running", isStarted: started !== false, since: parseTime(state.running.startedAt ?? "") };
  if (state?.terminated !== undefined) return { is: "ended", ...endOf(state.terminated) };
  const { reason = "", message } = state?.waiting ?? {};
  return { is: "waiting", reason, message: sanitizeOutput(message) };
}

const endOf = ({ exitCode, reason, message }: api.ContainerStateTerminated): ContainerEnd => ({
  exitCode,
  reason: reason ?? "",
  message: sanitizeOutput(message),
});
