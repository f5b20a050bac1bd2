import { PersistentVolume, PersistentVolumeClaim, Pod, type Ref } from "@trivium/kube";
import type { Note, Patch } from "@trivium/reconcile";
import type { JsonObject } from "@trivium/std";
import { selectedNode, type VolumeChoice } from "./filters/volumes.ts";
import type { Placement } from "./place-pods.ts";
import { compareText } from "./snapshot/pod-info.ts";

/** What a placement means for the objects concerned, with the Events that kube-scheduler tells. */
export function patchesOf(placement: Placement): readonly Patch[] {
  const { pod } = placement;
  switch (placement.is) {
    case "bound":
      return [{ patch: "bind", ref: refOf(pod), node: placement.node, events: assigned(pod, placement.node) }];
    case "reserved":
      return placement.choices.map((choice) => patchOfVolume(choice, placement.node));
    case "unschedulable":
      return [reported(pod, placement.message, undefined)];
    case "nominated":
      return [
        ...placement.withdrawn.map(withdrawn),
        ...placement.victims
          .toSorted((a, b) => compareText(a.metadata.name ?? "", b.metadata.name ?? ""))
          .flatMap((victim) => preempted(victim, pod, placement.node)),
        reported(pod, placement.message, placement.node),
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

function reported(pod: Pod, message: string, nominated: string | undefined): Patch {
  const condition = { type: "PodScheduled", status: "False", reason: "Unschedulable", message, ...generationOf(pod) };
  const before = pod.status?.nominatedNodeName;
  const place = before === nominated ? {} : { nominatedNodeName: nominated ?? null };
  return {
    patch: "status",
    kind: Pod,
    ref: refOf(pod),
    status: { conditions: [condition], ...place },
    events: { type: "Warning", reason: "FailedScheduling", action: "Scheduling", message },
  };
}

const generationOf = ({ metadata }: Pod): JsonObject =>
  metadata.generation === undefined ? {} : { observedGeneration: metadata.generation };

function withdrawn(pod: Pod): Patch {
  return { patch: "status", kind: Pod, ref: refOf(pod), status: { nominatedNodeName: null } };
}

/** It is written why a pod goes before it goes: whoever made it can tell this end from others. */
function preempted(victim: Pod, by: Pod, node: string): readonly Patch[] {
  if (victim.metadata.deletionTimestamp !== undefined) return [];
  const condition = {
    type: "DisruptionTarget",
    status: "True",
    reason: "PreemptionByScheduler",
    message: "default-scheduler: preempting to accommodate a higher priority pod",
    ...generationOf(victim),
  };
  const events: Note = {
    type: "Normal",
    reason: "Preempted",
    action: "Preempting",
    message: `Preempted by pod ${by.metadata.uid} on node ${node}`,
  };
  const ref = refOf(victim);
  return [
    { patch: "status", kind: Pod, ref, status: { conditions: [condition] } },
    { patch: "delete", kind: Pod, ref, uid: victim.metadata.uid ?? "", events },
  ];
}

/** A claim learns where its volume is to be made; a volume that is there is kept for the claim. */
function patchOfVolume({ claim, volume }: VolumeChoice, node: string): Patch {
  const { name = "", namespace = "", uid = "" } = claim.metadata;
  if (volume === undefined) {
    const metadata = { name, namespace, annotations: { [selectedNode]: node } };
    return {
      patch: "fields",
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
  return { patch: "fields", kind: PersistentVolume, object: kept };
}
