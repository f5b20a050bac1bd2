import { Deployment, Pod, ReplicaSet } from "@trivium/kube";
import type { Reader, Reconciler } from "@trivium/reconcile";
import { absent, type Fact, known } from "@trivium/std";
import { type Belongings, claim, observeBelongings } from "../pods/claim.ts";
import { isFinished } from "../pods/pod-state.ts";
import { decideDeployment } from "./decide.ts";
import { isRolling } from "./limits.ts";
import { newSetName } from "./new-set.ts";
import { sortSets } from "./replica-sets.ts";

export interface ObservedDeployment {
  readonly sets: Belongings<ReplicaSet>;
  /** The uid of whoever has the name that a new set would get. Looked for only while there is no set with the template. */
  readonly nameHolder: Fact<string>;
  /** For Recreate: how many pods of each set are not at their end yet, by the set's uid. */
  readonly running: Readonly<Record<string, number>>;
}

type Reads = typeof ReplicaSet | typeof Pod;

/** Rolls a template out by making a set for it and moving pods over from the sets before. */
export const deploymentReconciler: Reconciler<Deployment, ObservedDeployment, Reads> = {
  name: "deployment-controller",
  kind: Deployment,
  reads: [Pod],
  writes: [ReplicaSet, Deployment],
  controls: [ReplicaSet],
  hasPlainConditions: true,
  observe(deployment, reader) {
    const sets = observeBelongings(deployment, deployment.spec.selector, ReplicaSet, reader);
    const { current } = sortSets(deployment, claim(sets, deployment.spec.selector).ours);
    return {
      sets,
      nameHolder: current === undefined ? observeHolder(deployment, reader) : absent,
      running: isRolling(deployment) ? {} : observeRunning(sets.own, reader),
    };
  },
  decide: decideDeployment,
};

function observeHolder(deployment: Deployment, reader: Reader<Reads>): Fact<string> {
  const { namespace } = deployment.metadata;
  const holder = reader.get(ReplicaSet, { namespace, name: newSetName(deployment).name });
  return holder.is === "known" ? known(holder.value.metadata.uid ?? "") : holder;
}

function observeRunning(sets: readonly ReplicaSet[], reader: Reader<Reads>): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { metadata } of sets) {
    const { namespace, uid = "" } = metadata;
    counts[uid] = reader.list(Pod, { namespace, owner: uid }).filter((pod) => !isFinished(pod)).length;
  }
  return counts;
}
