import type { api } from "@trivium/kube";
import { allContainers, defaultPodSpec } from "./default-spec.ts";
import { totalRequest } from "./total-request.ts";

/** Taints of nodes that are briefly away; pods stay for five minutes unless they say otherwise. */
const briefAbsences = ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"] as const;

/** What the server fills in for a pod itself, beyond what templates get. A stored pod has what admission gave it, too. */
export function defaultPod(pod: api.Pod, old?: api.Pod): void {
  const { spec } = pod;
  spec.containers ??= [];
  spec.enableServiceLinks ??= true;
  if ((spec.terminationGracePeriodSeconds ?? 0) < 0) spec.terminationGracePeriodSeconds = 1;
  for (const container of allContainers(spec)) defaultRequests(container.resources);
  defaultPodRequests(spec);
  defaultPodSpec(spec);
  if (spec.hostNetwork) defaultHostPorts(spec);
  if (old !== undefined) admitPod(pod);
}

/** What the admission plugins of a real server fill in. Whoever wrote the pod does not own it, so this comes last. */
export function admitPod({ spec }: api.Pod): void {
  spec.priority ??= 0;
  spec.preemptionPolicy ??= "PreemptLowerPriority";
  // Nothing else depends on the account being there.
  spec.serviceAccountName ??= "default";
  spec.serviceAccount ??= spec.serviceAccountName;
  defaultTolerations(spec);
}

/** A limit without a request is a request of the same size. */
function defaultRequests(resources: api.ResourceRequirements | undefined): void {
  if (resources?.limits === undefined) return;
  resources.requests = { ...resources.limits, ...resources.requests };
}

function defaultPodRequests(spec: api.PodSpec): void {
  const limits = spec.resources?.limits;
  if (limits === undefined || spec.resources === undefined) return;
  const implied = Object.entries(limits).map(([name, limit]) => [name, totalRequest(spec, name) ?? limit] as const);
  spec.resources.requests = { ...Object.fromEntries(implied), ...spec.resources.requests };
}

function defaultHostPorts(spec: api.PodSpec): void {
  for (const container of [...(spec.initContainers ?? []), ...spec.containers]) {
    for (const port of container.ports ?? []) port.hostPort ||= port.containerPort;
  }
}

function defaultTolerations(spec: api.PodSpec): void {
  for (const key of briefAbsences) {
    const isTolerated = (spec.tolerations ?? []).some(
      (one) => (one.key === key || !one.key) && (one.effect === "NoExecute" || !one.effect),
    );
    if (isTolerated) continue;
    spec.tolerations = [
      ...(spec.tolerations ?? []),
      { key, operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 },
    ];
  }
}
