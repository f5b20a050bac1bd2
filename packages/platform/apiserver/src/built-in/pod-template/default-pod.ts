import type { api } from "@trivium/kube";
import { allContainers, defaultPodSpec } from "./default-spec.ts";
import { totalRequest } from "./total-request.ts";

/** Taints of nodes that are briefly away; pods stay for five minutes unless they say otherwise. */
const briefAbsences = ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"] as const;

/** What the server and its admission plugins fill in for a pod itself, beyond what templates get. */
export function defaultPod(pod: api.Pod): void {
  const { spec } = pod;
  spec.containers ??= [];
  spec.enableServiceLinks ??= true;
  for (const container of allContainers(spec)) defaultRequests(container.resources);
  defaultPodRequests(spec);
  defaultPodSpec(spec);
  if (spec.hostNetwork) defaultHostPorts(spec);
  spec.priority ??= 0;
  spec.preemptionPolicy ??= "PreemptLowerPriority";
  // Given by an admission plugin on a real cluster; nothing else depends on the account being there.
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
  const requests = { ...spec.resources.requests };
  for (const [name, limit] of Object.entries(limits)) requests[name] ??= totalRequest(spec, name) ?? limit;
  spec.resources.requests = requests;
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
