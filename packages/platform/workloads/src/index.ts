import type { AnyReconciler } from "@trivium/reconcile";
import { autoscalerReconciler } from "./autoscaler/index.ts";
import { claimProtectionReconciler, ephemeralVolumeReconciler } from "./claims/index.ts";
import { cronJobReconciler } from "./cron-job/index.ts";
import { daemonSetReconciler } from "./daemon-set/reconciler.ts";
import { deploymentReconciler } from "./deployment/reconciler.ts";
import { disruptionBudgetReconciler } from "./disruption-budget/reconciler.ts";
import { endpointSliceReconciler } from "./endpoint-slices/index.ts";
import { jobOrphanReconciler, jobReconciler, jobTtlReconciler } from "./job/index.ts";
import { nodeTaintReconciler, podCollectionReconciler, taintEvictionReconciler } from "./node-lifecycle/index.ts";
import { replicaSetReconciler } from "./replica-set/reconciler.ts";
import { schedulerReconciler } from "./scheduler/index.ts";
import { statefulSetReconciler } from "./stateful-set/reconciler.ts";

/** What kube-controller-manager and the scheduler do, for an API server that has neither. */
export const workloadReconcilers: readonly AnyReconciler[] = [
  replicaSetReconciler,
  deploymentReconciler,
  statefulSetReconciler,
  daemonSetReconciler,
  disruptionBudgetReconciler,
  schedulerReconciler,
  endpointSliceReconciler,
  ephemeralVolumeReconciler,
  claimProtectionReconciler,
  jobReconciler,
  jobOrphanReconciler,
  jobTtlReconciler,
  cronJobReconciler,
  autoscalerReconciler(),
  nodeTaintReconciler,
  taintEvictionReconciler,
  podCollectionReconciler,
];

export { podMetric, podUsage } from "./autoscaler/index.ts";
