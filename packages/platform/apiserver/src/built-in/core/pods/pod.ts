import type { api, Pod } from "@trivium/kube";
import { formatTime, type Instant } from "@trivium/std";
import type { PodPriority } from "../../../resource.ts";
import { admitPod, defaultPod } from "../../pod-template/default-pod.ts";
import { podWarnings } from "../../pod-template/warnings.ts";
import { traits } from "../../traits.ts";
import { qosClassOf } from "../defaults.ts";
import { checkEphemerals } from "./check-ephemeral.ts";
import { checkPod, checkPodStatus } from "./check-pod.ts";
import { podReadinessGates, podReady, podReason, podRestarts } from "./pod-table.ts";

export const pod = traits<Pod>({
  hasGeneration: true,
  defaults: defaultPod,
  prepareForCreate: (object, { now, priorityClassOf }) => {
    prioritize(object, priorityClassOf?.(object.spec.priorityClassName || undefined));
    admitPod(object);
    object.status = { phase: "Pending", qosClass: qosClassOf(object.spec), ...gateCondition(object, now) };
  },
  validate: checkPod,
  validateStatus: checkPodStatus,
  validateSubresource: (name, object, old) =>
    name === "ephemeralcontainers" ? checkEphemerals(object, old) : undefined,
  warnings: ({ spec }) => podWarnings("spec", spec),
  graceSeconds: (object) => object.spec.terminationGracePeriodSeconds ?? 30,
  selectableFields: [
    "spec.nodeName",
    "spec.restartPolicy",
    "spec.schedulerName",
    "spec.serviceAccountName",
    "spec.hostNetwork",
    "status.phase",
    "status.podIP",
    "status.podIPs",
    "status.nominatedNodeName",
  ],
  cells: {
    Ready: podReady,
    Status: podReason,
    Restarts: podRestarts,
    IP: ({ status }) => status?.podIPs?.[0]?.ip || "<none>",
    Node: ({ spec }) => spec.nodeName || "<none>",
    "Nominated Node": ({ status }) => status?.nominatedNodeName || "<none>",
    "Readiness Gates": podReadinessGates,
  },
});

/** A class is named where it was found; a number alone means none. */
function prioritize({ spec }: Pod, found: PodPriority | undefined): void {
  if (found === undefined || spec.priority !== undefined) return;
  spec.priorityClassName = found.name;
  spec.priority = found.value;
  if (found.preemptionPolicy !== undefined) spec.preemptionPolicy ??= found.preemptionPolicy;
}

function gateCondition({ spec }: Pod, now: Instant): Pick<api.PodStatus, "conditions"> {
  if ((spec.schedulingGates ?? []).length === 0) return {};
  const condition: api.PodCondition = {
    type: "PodScheduled",
    status: "False",
    lastTransitionTime: formatTime(now),
    reason: "SchedulingGated",
    message: "Scheduling is blocked due to non-empty scheduling gates",
  };
  return { conditions: [condition] };
}
