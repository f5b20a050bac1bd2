import type { StatefulPlan } from "@trivium/domain";
import { type PersistentVolumeClaim, StatefulSet } from "@trivium/kube";
import type { Desired } from "@trivium/reconcile";
import { templateOf } from "./pod-template.ts";

/** Volumes go with the set, and stay while it is only made smaller. */
export function emitStatefulSet(plan: StatefulPlan): Desired<StatefulSet> {
  const { name, labels, selector, serviceName, replicas, pod, claims } = plan;
  const object: StatefulSet = {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: { name, labels: { ...labels } },
    spec: {
      serviceName,
      replicas,
      podManagementPolicy: "OrderedReady",
      persistentVolumeClaimRetentionPolicy: { whenDeleted: "Delete", whenScaled: "Retain" },
      selector: { matchLabels: { ...selector } },
      template: templateOf(pod),
      volumeClaimTemplates: claims.map(
        (claim): PersistentVolumeClaim => ({
          apiVersion: "v1",
          kind: "PersistentVolumeClaim",
          metadata: { name: claim.name },
          spec: {
            accessModes: [...claim.accessModes],
            resources: { requests: { storage: claim.size } },
            ...(claim.storageClass === undefined ? {} : { storageClassName: claim.storageClass }),
          },
        }),
      ),
    },
  };
  return { kind: StatefulSet, object };
}
