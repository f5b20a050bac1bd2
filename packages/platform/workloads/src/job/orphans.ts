import { controllerOf, Job, Pod } from "@trivium/kube";
import type { Reconciler } from "@trivium/reconcile";
import type { Fact } from "@trivium/std";
import { isTracked, trackingFinalizer } from "./pod-outcome.ts";

/** Pods whose job is gone, or on its way, are counted by nobody: nothing may keep them. */
export const jobOrphanReconciler: Reconciler<Pod, { readonly job: Fact<string> }, typeof Job> = {
  name: "job-controller.orphans",
  kind: Pod,
  reads: [Job],
  writes: [Pod],
  finalizer: trackingFinalizer,
  hasPlainConditions: true,
  observe(pod, reader) {
    const owner = controllerOf(pod);
    if (!isTracked(pod) || owner?.kind !== "Job") return { job: { is: "absent" } };
    const job = reader.get(Job, { namespace: pod.metadata.namespace, name: owner.name });
    if (job.is !== "known") return { job };
    const { uid, deletionTimestamp } = job.value.metadata;
    return {
      job: uid === owner.uid && deletionTimestamp === undefined ? { is: "known", value: owner.name } : { is: "absent" },
    };
  },
  decide(pod, { job }) {
    const status = pod.status ?? {};
    if (!isTracked(pod) || job.is !== "absent") return { do: "hold", status };
    if (pod.metadata.deletionTimestamp !== undefined) return { do: "release" };
    const { namespace, name = "" } = pod.metadata;
    const remove = [trackingFinalizer];
    return {
      do: "converge",
      children: [],
      patches: [{ patch: "finalizers", kind: Pod, ref: { namespace, name }, remove }],
      status,
    };
  },
};
