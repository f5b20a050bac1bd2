import {
  Namespace,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  PodDisruptionBudget,
  StorageClass,
} from "@trivium/kube";
import type { Reconciler } from "@trivium/reconcile";
import { patchesOf } from "./patches.ts";
import { placePods } from "./place-pods.ts";
import type { ObservedSnapshot } from "./snapshot/snapshot.ts";

/**
 * kube-scheduler: gives waiting pods to nodes. One decision for all of them on one key, so that what one pod takes the next one sees; the
 * key rests until the caches have seen what was bound.
 */
export const schedulerReconciler: Reconciler<Namespace, ObservedSnapshot> = {
  name: "default-scheduler",
  kind: Namespace,
  only: { name: "kube-system" },
  reads: [Node, Namespace, StorageClass, PodDisruptionBudget],
  writes: [Pod, PersistentVolumeClaim, PersistentVolume],
  observe: (_, reader) => ({
    nodes: reader.list(Node, {}),
    pods: reader.list(Pod, {}),
    namespaces: reader.list(Namespace, {}),
    claims: reader.list(PersistentVolumeClaim, {}),
    volumes: reader.list(PersistentVolume, {}),
    storageClasses: reader.list(StorageClass, {}),
    budgets: reader.list(PodDisruptionBudget, {}),
  }),
  decide: (namespace, observed) => ({
    do: "converge",
    children: [],
    patches: placePods(observed, "default-scheduler").flatMap(patchesOf),
    status: namespace.status ?? {},
  }),
};
