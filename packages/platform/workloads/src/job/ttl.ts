import { Job } from "@trivium/kube";
import type { Reconciler } from "@trivium/reconcile";
import { type Instant, parseTime } from "@trivium/std";

/** Removes jobs some time after their end. */
export const jobTtlReconciler: Reconciler<Job, null> = {
  name: "ttl-after-finished-controller",
  kind: Job,
  reads: [],
  writes: [Job],
  hasPlainConditions: true,
  observe: () => null,
  decide(job, _, now) {
    const status = job.status ?? {};
    const at = removalOf(job);
    if (at === undefined) return { do: "hold", status };
    if (at > now) return { do: "hold", status, recheckIn: at - now };
    const { namespace, name = "", uid = "" } = job.metadata;
    return {
      do: "converge",
      children: [],
      patches: [{ patch: "delete", kind: Job, ref: { namespace, name }, uid }],
      status,
    };
  },
};

function removalOf({ spec, status }: Job): Instant | undefined {
  if (spec?.ttlSecondsAfterFinished === undefined) return undefined;
  const end = status?.conditions?.find(
    ({ type, status: state }) => (type === "Complete" || type === "Failed") && state === "True",
  );
  const at = parseTime(end?.lastTransitionTime ?? "");
  return at === undefined ? undefined : at + spec.ttlSecondsAfterFinished * 1_000;
}
