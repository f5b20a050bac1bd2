import { PersistentVolumeClaim, Pod } from "@trivium/kube";
import type { Reconciler } from "@trivium/reconcile";
import { isFinished } from "../pods/pod-state.ts";

export interface ObservedProtection {
  /** Pods that have the claim mounted, or are about to. */
  readonly users: readonly string[];
}

/** A claim that is deleted stays until no pod uses it: what runs keeps its files. */
export const claimProtectionReconciler: Reconciler<PersistentVolumeClaim, ObservedProtection, typeof Pod> = {
  name: "persistentvolumeclaim-protection-controller",
  kind: PersistentVolumeClaim,
  reads: [Pod],
  writes: [],
  finalizer: "kubernetes.io/pvc-protection",
  hasPlainConditions: true,
  observe({ metadata }, reader) {
    // Most claims are not being deleted, and then nobody needs to know who uses them.
    if (metadata.deletionTimestamp === undefined) return { users: [] };
    const pods = reader.list(Pod, { namespace: metadata.namespace });
    return { users: pods.filter((pod) => uses(pod, metadata.name ?? "")).map((pod) => pod.metadata.name ?? "") };
  },
  decide({ metadata, status = {} }, { users }) {
    if (metadata.deletionTimestamp === undefined) return { do: "converge", children: [], status };
    return users.length > 0 ? { do: "hold", status } : { do: "release" };
  },
};

function uses(pod: Pod, claim: string): boolean {
  const { metadata, spec } = pod;
  if (isFinished(pod) || spec?.nodeName === undefined || spec.nodeName === "") return false;
  return (spec.volumes ?? []).some(
    ({ name, persistentVolumeClaim, ephemeral }) =>
      persistentVolumeClaim?.claimName === claim || (ephemeral !== undefined && `${metadata.name}-${name}` === claim),
  );
}
