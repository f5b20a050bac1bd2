import { Namespace } from "@trivium/kube";
import type { Reconciler } from "@trivium/reconcile";
import { lowerQueue } from "./lower.ts";
import { type ObservedQueue, observeQueue, queueReads } from "./observe.ts";
import { raiseQueue } from "./raise.ts";

/**
 * The position of every service that waits for GPUs, decided for all of them in one pass: a service that read the others would be
 * triggered by each of them. It patches the status of services, which the reconciler of services has the permission for.
 */
export const queueReconciler: Reconciler<Namespace, ObservedQueue, (typeof queueReads)[number]> = {
  name: "llmkube.scheduling-queue",
  kind: Namespace,
  keepsStatus: true,
  only: { name: "kube-system" },
  reads: queueReads,
  writes: [],
  observe: (_, reader) => observeQueue(reader),
  decide({ status }, observed) {
    return { do: "converge", children: [], patches: raiseQueue(lowerQueue(observed)), status: status ?? {} };
  },
};
