import type { Workload } from "@trivium/engines";
import {
  controllerOf,
  Deployment,
  type Kind,
  type KubeObject,
  type OwnerReference,
  type Ref,
  StatefulSet,
} from "@trivium/kube";
import type { Millis } from "@trivium/std";
import { idleTimeoutOf } from "../annotations.ts";
import { kindOf, type Owners } from "../cluster/owners.ts";

/** The object whose scale says how many replicas a workload has: the topmost controlling owner that has one. */
export interface ScaleTop {
  readonly key: string;
  readonly kind: Kind;
  readonly ref: Ref;
  readonly object: KubeObject;
  /** From the workload or anything above it; the upmost wins. */
  readonly idleTimeout: Millis | undefined;
}

/** Longer chains of owners than this are rings. */
const maxOwners = 8;

export function scaleTopOf(workload: Workload, owners: Owners): ScaleTop {
  const { namespace } = workload.metadata;
  let top = {
    kind: (workload.kind === "Deployment" ? Deployment : StatefulSet) as Kind,
    object: workload as KubeObject,
  };
  let idleTimeout = idleTimeoutOf(workload);
  let reference = controllerOf(workload);
  for (let steps = 0; reference !== undefined && steps < maxOwners; steps += 1) {
    const found = lookUp(reference, namespace, owners);
    if (found === undefined) break;
    idleTimeout = idleTimeoutOf(found.object) ?? idleTimeout;
    if (found.hasScale) top = found;
    reference = controllerOf(found.object);
  }
  const { name = "" } = top.object.metadata;
  const ref = top.kind.namespaced ? { namespace, name } : { name };
  return { key: `${top.kind.plural}.${top.kind.group} ${namespace}/${name}`, ...top, ref, idleTimeout };
}

function lookUp(reference: OwnerReference, namespace: string | undefined, owners: Owners) {
  const resource = owners.resourceOf(reference);
  const object = owners.objectOf(reference, namespace);
  if (resource === undefined || object === undefined) return undefined;
  return { kind: kindOf(resource), object, hasScale: resource.subresources.includes("scale") };
}
