import { type DaemonSet, Pod } from "@trivium/kube";
import type { Desired } from "@trivium/reconcile";
import { podFromTemplate } from "../pods/pod-from-template.ts";
import { podName } from "../pods/pod-name.ts";
import { tolerationsOf } from "./node-fit.ts";

export const revisionLabel = "controller-revision-hash";
const generationLabel = "pod-template-generation";
const generationAnnotation = "deprecated.daemonset.template.generation";

/** A pod of the set for one node: the scheduler is told which by an affinity for its name. */
export function newPod(set: DaemonSet, node: string, hash: string, taken: ReadonlySet<string>): Desired {
  const { namespace } = set.metadata;
  const own = freeName(set, node, taken);
  const pod = podFromTemplate(set.spec.template, { name: own, namespace });
  const generation = set.metadata.annotations?.[generationAnnotation];
  const labels = {
    ...pod.metadata.labels,
    ...(generation && { [generationLabel]: generation }),
    [revisionLabel]: hash,
  };
  const object: Pod = {
    ...pod,
    metadata: { ...pod.metadata, labels },
    spec: { ...pod.spec, affinity: affinityFor(pod.spec.affinity, node), tolerations: tolerationsOf(pod.spec) },
  };
  return {
    kind: Pod,
    object,
    createOnly: true,
    events: {
      made: { type: "Normal", reason: "SuccessfulCreate", message: `Created pod: ${own}` },
      failed: { type: "Warning", reason: "FailedCreate", message: "Error creating: " },
    },
  };
}

/** Made from the node's name, so that no two nodes want the same; names of pods that are still there are skipped. */
function freeName(set: DaemonSet, node: string, taken: ReadonlySet<string>): string {
  const { name = "", uid } = set.metadata;
  for (let attempt = 0; ; attempt += 1) {
    const candidate = podName(name, `${uid} ${node} ${attempt}`);
    if (!taken.has(candidate)) return candidate;
  }
}

function affinityFor(affinity: Pod["spec"]["affinity"], node: string): NonNullable<Pod["spec"]["affinity"]> {
  const matchFields = [{ key: "metadata.name", operator: "In" as const, values: [node] }];
  const required = { nodeSelectorTerms: [{ matchFields }] };
  const nodeAffinity = { ...affinity?.nodeAffinity, requiredDuringSchedulingIgnoredDuringExecution: required };
  return { ...affinity, nodeAffinity };
}

/** Whether a pod is made from the template as it is now. */
export function isUpdated(set: DaemonSet, pod: Pod, hash: string): boolean {
  const generation = set.metadata.annotations?.[generationAnnotation];
  const { labels } = pod.metadata;
  return labels?.[revisionLabel] === hash || (generation !== undefined && labels?.[generationLabel] === generation);
}
