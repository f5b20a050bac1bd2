import {
  controllerOf,
  Deployment,
  type Kind,
  type KubeObject,
  type OwnerReference,
  type Pod,
  ReplicaSet,
  ReplicationController,
  StatefulSet,
} from "@trivium/kube";
import type { Reader } from "@trivium/reconcile";
import type { Fact } from "@trivium/std";

export type Scaled = typeof ReplicaSet | typeof Deployment | typeof StatefulSet | typeof ReplicationController;

/** How many pods each controller wants, by the uid of whoever was asked: a set of a deployment speaks for the deployment. */
export type Scales = Readonly<Record<string, Fact<{ readonly of: string; readonly replicas: number }>>>;

/** Asks every controller of the pods once. */
export function observeScales(pods: readonly Pod[], reader: Reader<Scaled>): Scales {
  const scales: Record<string, Scales[string]> = {};
  for (const pod of pods) {
    const owner = controllerOf(pod);
    if (owner !== undefined) scales[owner.uid] ??= observeScale(owner, pod.metadata.namespace, reader);
  }
  return scales;
}

const kinds: Readonly<Record<string, Scaled>> = {
  "apps ReplicaSet": ReplicaSet,
  "apps Deployment": Deployment,
  "apps StatefulSet": StatefulSet,
  " ReplicationController": ReplicationController,
};

function observeScale(owner: OwnerReference, namespace: string | undefined, reader: Reader<Scaled>): Scales[string] {
  const group = owner.apiVersion.includes("/") ? (owner.apiVersion.split("/")[0] ?? "") : "";
  const kind = kinds[`${group} ${owner.kind}`];
  if (kind === undefined) return { is: "absent" };
  const found = reader.get(kind as Kind as typeof ReplicaSet, { namespace, name: owner.name });
  if (found.is !== "known") return found;
  if (found.value.metadata.uid !== owner.uid) return { is: "absent" };
  const above = kind === ReplicaSet ? controllerOf(found.value) : undefined;
  if (above?.kind === "Deployment") return observeScale(above, namespace, reader);
  return { is: "known", value: { of: owner.uid, replicas: replicasOf(found.value) } };
}

function replicasOf(object: KubeObject & { spec?: { replicas?: number | undefined } }): number {
  return object.spec?.replicas ?? 1;
}
