import type { api, Pod } from "@trivium/kube";
import type { ContainerRecord } from "./container-record.ts";
import { isInitial } from "./containers.ts";
import { hasRun, isPassed, type PodPhase } from "./pod-phase.ts";

/** A condition before it is known when it changed. */
export type ConditionUpdate = Pick<api.PodCondition, "type" | "status" | "reason" | "message">;

export interface ConditionInput {
  readonly pod: Pod;
  readonly records: readonly ContainerRecord[];
  readonly phase: PodPhase;
  readonly hasSetup: boolean;
}

/** The conditions that a kubelet writes, with its reasons and messages. */
export function outcomesOf(input: ConditionInput): ConditionUpdate[] {
  const { pod, records, phase, hasSetup } = input;
  const containersReady = containersReadyOf(records, phase);
  return [
    { type: "PodReadyToStartContainers", status: hasSetup ? "True" : "False" },
    initializedOf(records, phase),
    readyOf(pod, containersReady),
    { type: "ContainersReady", ...containersReady },
    { type: "PodScheduled", status: "True" },
  ];
}

type Outcome = Omit<ConditionUpdate, "type">;

const namesOf = (records: readonly ContainerRecord[]): string =>
  `[${records.map(({ container }) => container.name).join(" ")}]`;

function initializedOf(records: readonly ContainerRecord[], phase: PodPhase): ConditionUpdate {
  const type = "Initialized";
  if (phase === "Succeeded") return { type, status: "True", reason: "PodCompleted" };
  const pending = records.filter((record) => isInitial(record) && !isPassed(record));
  const isBegun = records.some((record) => record.role === "main" && hasRun(record));
  if (isBegun || pending.length === 0) return { type, status: "True" };
  const message = `containers with incomplete status: ${namesOf(pending)}`;
  return { type, status: "False", reason: "ContainersNotInitialized", message };
}

function containersReadyOf(records: readonly ContainerRecord[], phase: PodPhase): Outcome {
  if (phase === "Succeeded") return { status: "False", reason: "PodCompleted" };
  if (phase === "Failed") return { status: "False", reason: "PodFailed" };
  const unready = records.filter(({ role, isReady }) => (role === "main" || role === "sidecar") && !isReady);
  if (unready.length === 0) return { status: "True" };
  const message = `containers with unready status: ${namesOf(unready)}`;
  return { status: "False", reason: "ContainersNotReady", message };
}

/** Ready: the containers are, and every gate that others hold is open. */
function readyOf(pod: Pod, containersReady: Outcome): ConditionUpdate {
  const type = "Ready";
  if (containersReady.status !== "True") return { type, ...containersReady };
  const faults = (pod.spec?.readinessGates ?? []).flatMap(({ conditionType }) => {
    const gate = pod.status?.conditions?.find((condition) => condition.type === conditionType);
    if (gate === undefined) return [`corresponding condition of pod readiness gate "${conditionType}" does not exist.`];
    if (gate.status === "True") return [];
    return [`the status of pod readiness gate "${conditionType}" is not "True", but ${gate.status}`];
  });
  if (faults.length === 0) return { type, status: "True" };
  return { type, status: "False", reason: "ReadinessGatesNotReady", message: faults.join(", ") };
}
