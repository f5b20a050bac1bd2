import { type api, findCondition, type Pod } from "@trivium/kube";
import { formatTime, type Instant } from "@trivium/std";
import type { ContainerRecord } from "./container-record.ts";
import { isInitial } from "./containers.ts";
import { type ConditionUpdate, outcomesOf } from "./pod-conditions.ts";
import { type PodLifecycle, phaseOf } from "./pod-phase.ts";
import { qosClassOf } from "./qos.ts";

/** Everything that the status of a pod is made from. */
export interface PodView {
  readonly pod: Pod;
  readonly records: readonly ContainerRecord[];
  readonly lifecycle: PodLifecycle;
  readonly startedAt: Instant;
  readonly hostAddress: string;
  /** Nothing before there is room for the pod. */
  readonly address: string | undefined;
  readonly hasSetup: boolean;
  /** Why the pod was ended before its time. */
  readonly outcome?: { readonly reason: string; readonly message: string } | undefined;
  /** The conditions written last, for the times of their changes. */
  readonly before: readonly api.PodCondition[];
  readonly now: Instant;
}

/** The whole status, as a kubelet would write it. */
export function planStatus(view: PodView): api.PodStatus {
  const { pod, records, outcome, address, hostAddress } = view;
  const phase = outcome === undefined ? phaseOf(pod, records, view.lifecycle) : "Failed";
  const generation = pod.metadata.generation;
  const observed = generation === undefined ? {} : { observedGeneration: generation };
  const isBegun = records.some(({ role, is }) => role === "main" && is !== "new");
  const stage = isBegun || !records.some(isInitial) ? "begun" : "initial";
  const statusesOf = (holds: (record: ContainerRecord) => boolean) =>
    records.filter(holds).map((record) => statusOf(record, stage));
  const inits = statusesOf(isInitial);
  const ephemerals = statusesOf(({ role }) => role === "ephemeral");
  return {
    ...observed,
    phase,
    ...(outcome ?? {}),
    conditions: outcomesOf({ pod, records, phase, hasSetup: view.hasSetup }).map((one) => ({
      ...timed(one, view),
      ...observed,
    })),
    hostIP: hostAddress,
    hostIPs: [{ ip: hostAddress }],
    ...(address === undefined ? {} : { podIP: address, podIPs: [{ ip: address }] }),
    startTime: formatTime(view.startedAt),
    ...(inits.length > 0 ? { initContainerStatuses: inits } : {}),
    containerStatuses: statusesOf(({ role }) => role === "main"),
    ...(ephemerals.length > 0 ? { ephemeralContainerStatuses: ephemerals } : {}),
    qosClass: pod.status?.qosClass ?? qosClassOf(pod),
  };
}

function timed(outcome: ConditionUpdate, { before, now }: PodView): api.PodCondition {
  const old = findCondition(before, outcome.type);
  const isSame = old?.status === outcome.status && old.lastTransitionTime !== undefined;
  return { ...outcome, lastTransitionTime: isSame ? old.lastTransitionTime : formatTime(now) };
}

function statusOf(record: ContainerRecord, stage: "begun" | "initial"): api.ContainerStatus {
  const { container, state, lastState, restarts, isReady, isStarted, imageId, id, role } = record;
  const isBlank = state.running === undefined && state.terminated === undefined && state.waiting === undefined;
  const reason = stage === "initial" && record.is === "new" ? "PodInitializing" : "ContainerCreating";
  // An init container that has done its work is ready: that is what the word means for it.
  const isDone = role === "init" && state.terminated?.exitCode === 0;
  return {
    name: container.name,
    state: isBlank ? { waiting: { reason } } : state,
    lastState,
    ready: isReady || isDone,
    started: isStarted,
    restartCount: restarts,
    image: container.image ?? "",
    imageID: imageId,
    ...(id === "" ? {} : { containerID: id }),
  };
}

/** As a strategic patch: conditions are merged by their type, so what one no longer says must be said to be gone;
 * addresses would be merged too, and are meant as a whole. */
export function statusPatch(pod: Pod, status: api.PodStatus): { metadata: object; status: object } {
  const conditions = status.conditions?.map((one) => ({ reason: null, message: null, ...one }));
  const addresses = status.podIPs === undefined ? {} : { podIPs: [{ $patch: "replace" }, ...status.podIPs] };
  const hosts = { hostIPs: [{ $patch: "replace" }, ...(status.hostIPs ?? [])] };
  return { metadata: { uid: pod.metadata.uid }, status: { ...status, ...addresses, ...hosts, conditions } };
}
