import { type KubeObject, Node, Pod } from "@trivium/kube";
import type { Part, Patch, Reader } from "@trivium/reconcile";
import type { InferenceService } from "../../kinds/inference-service.ts";
import type { ObservedService } from "../observe.ts";
import type { ObservedServingPod } from "../observed/serving-pod.ts";

/** By this Karpenter leaves a pod where it is. */
const shieldAnnotation = "karpenter.sh/do-not-disrupt";
/** Nodes that Karpenter made, and may take away, have it. */
const karpenterLabel = "karpenter.sh/nodepool";

/**
 * Loading weights takes long, so pods on nodes of Karpenter are left in peace until they are ready. The pods carry it and not their
 * template, since taking it back there would start them anew.
 */
export function shieldPods({ metadata }: InferenceService, { pods }: ObservedService): Patch[] {
  return pods.flatMap(({ name, shield }): Patch[] => {
    if (shield === undefined) return [];
    const annotations = shield === "wanted" ? { annotations: { [shieldAnnotation]: "true" } } : {};
    const object: KubeObject = {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name, namespace: metadata.namespace ?? "", ...annotations },
    };
    return [{ patch: "fields", kind: Pod, object }];
  });
}

/** Nodes are looked at only while pods start, and afterwards no more. */
export function observeShield(
  { spec }: InferenceService,
  pod: Pod,
  reader: Reader<typeof Node>,
): Pick<ObservedServingPod, "shield"> {
  const { protectStartup = true, protectAlways = false } = spec.disruption ?? {};
  const isByTemplate = protectAlways || spec.podAnnotations?.[shieldAnnotation] !== undefined;
  if (isByTemplate || pod.metadata.deletionTimestamp !== undefined) return {};
  const isShielded = pod.metadata.annotations?.[shieldAnnotation] !== undefined;
  const isReady = pod.status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True") === true;
  if (isReady || !protectStartup) return isShielded ? { shield: "spent" } : {};
  const name = pod.spec?.nodeName;
  const node = name === undefined ? undefined : reader.getPart(Node, { name }, isOfKarpenter);
  return node?.is === "known" && node.value ? { shield: "wanted" } : {};
}

const isOfKarpenter: Part<Node, boolean> = {
  name: "karpenter",
  of: ({ metadata }) => metadata.labels?.[karpenterLabel] !== undefined,
};
