import { PersistentVolume, PersistentVolumeClaim, Pod, type Ref } from "@trivium/kube";
import type { Note, Touch } from "@trivium/reconcile";
import type { JsonObject } from "@trivium/std";
import { compareText } from "./guest.ts";
import type { Placement } from "./place-pods.ts";
import { selectedNode, type VolumeChoice } from "./volumes.ts";

/** What a placement means for the objects concerned, with the Events that kube-scheduler tells. */
export function touchesOf(placement: Placement): readonly Touch[] {
  const { pod } = placement;
  switch (placement.is) {
    case "bound":
      return [{ touch: "bind", ref: refOf(pod), node: placement.node, news: assigned(pod, placement.node) }];
    case "reserved":
      return placement.choices.map((choice) => touchOfVolume(choice, placement.node));
    case "unschedulable":
      return [told(pod, placement.message, undefined)];
    case "nominated":
      return [
        ...placement.withdrawn.map(withdrawn),
        ...placement.victims
          .toSorted((a, b) => compareText(a.metadata.name ?? "", b.metadata.name ?? ""))
          .flatMap((victim) => preempted(victim, pod, placement.node)),
        told(pod, placement.message, placement.node),
      ];
    case "waiting":
      return [];
  }
}

const refOf = ({ metadata }: Pod): Ref => ({ namespace: metadata.namespace, name: metadata.name ?? "" });

function assigned({ metadata }: Pod, node: string): Note {
  return {
    type: "Normal",
    reason: "Scheduled",
    action: "Binding",
    message: `Successfully assigned ${metadata.namespace}/${metadata.name} to ${node}`,
  };
}

function told(pod: Pod, message: string, nominated: string | undefined): Touch {
  const condition = { type: "PodScheduled", status: "False", reason: "Unschedulable", message, ...generationOf(pod) };
  const before = pod.status?.nominatedNodeName;
  const place = before === nominated ? {} : { nominatedNodeName: nominated ?? null };
  return {
    touch: "status",
    kind: Pod,
    ref: refOf(pod),
    status: { conditions: [condition], ...place },
    news: { type: "Warning", reason: "FailedScheduling", action: "Scheduling", message },
  };
}

const generationOf = ({ metadata }: Pod): JsonObject =>
  metadata.generation === undefined ? {} : { observedGeneration: metadata.generation };

function withdrawn(pod: Pod): Touch {
  return { touch: "status", kind: Pod, ref: refOf(pod), status: { nominatedNodeName: null } };
}

/** It is written why a pod goes before it goes: whoever made it can tell this end from others. */
function preempted(victim: Pod, by: Pod, node: string): readonly Touch[] {
  if (victim.metadata.deletionTimestamp !== undefined) return [];
  const condition = {
    type: "DisruptionTarget",
    status: "True",
    reason: "PreemptionByScheduler",
    message: "default-scheduler: preempting to accommodate a higher priority pod",
    ...generationOf(victim),
  };
  const news: Note = {
    type: "Normal",
    reason: "Preempted",
    action: "Preempting",
    message: `Preempted by pod ${by.metadata.uid} on node ${node}`,
  };
  const ref = refOf(victim);
  return [
    { touch: "status", kind: Pod, ref, status: { conditions: [condition] } },
    { touch: "delete", kind: Pod, ref, uid: victim.metadata.uid ?? "", news },
  ];
}

/** A claim learns where its volume is to be made; a volume that is there is kept for the claim. */
function touchOfVolume({ claim, volume }: VolumeChoice, node: string): Touch {
  const { name = "", namespace = "", uid = "" } = claim.metadata;
  if (volume === undefined) {
    const metadata = { name, namespace, annotations: { [selectedNode]: node } };
    return {
      touch: "fields",
      kind: PersistentVolumeClaim,
      object: { apiVersion: "v1", kind: "PersistentVolumeClaim", metadata },
    };
  }
  const kept: Partial<PersistentVolume> & Pick<PersistentVolume, "apiVersion" | "kind" | "metadata"> = {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: {
      name: volume.metadata.name ?? "",
      annotations: { "pv.kubernetes.io/bound-by-controller": "yes" },
    },
    spec: { claimRef: { apiVersion: "v1", kind: "PersistentVolumeClaim", namespace, name, uid } },
  };
  return { touch: "fields", kind: PersistentVolume, object: kept };
}
