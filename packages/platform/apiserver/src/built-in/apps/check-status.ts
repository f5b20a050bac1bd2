import { type FieldError, invalid } from "@trivium/schema";
import { nonNegative } from "../checks/values.ts";

/** The counts that a controller of replicas reports. */
interface ReplicaStatus {
  readonly observedGeneration?: number | undefined;
  readonly replicas?: number | undefined;
  readonly fullyLabeledReplicas?: number | undefined;
  readonly currentReplicas?: number | undefined;
  readonly updatedReplicas?: number | undefined;
  readonly readyReplicas?: number | undefined;
  readonly availableReplicas?: number | undefined;
  readonly unavailableReplicas?: number | undefined;
}

/** The parts of the whole that each kind counts, in the order in which faults are told. */
const partsOf = {
  Deployment: ["updatedReplicas", "readyReplicas", "availableReplicas"],
  ReplicaSet: ["fullyLabeledReplicas", "readyReplicas", "availableReplicas"],
  StatefulSet: ["readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas"],
} as const;

/** No part may be larger than the whole, and nothing is available that is not ready. */
export function checkReplicaStatus(kind: keyof typeof partsOf, status: ReplicaStatus = {}): FieldError[] {
  const parts = partsOf[kind];
  const { replicas = 0, readyReplicas = 0, availableReplicas = 0 } = status;
  const counts = ["observedGeneration", "replicas", ...parts, "unavailableReplicas"] as const;
  const faults = counts.flatMap((field) => nonNegative(`status.${field}`, status[field]));
  for (const field of parts) {
    const value = status[field] ?? 0;
    if (value > replicas) faults.push(invalid(`status.${field}`, value, "cannot be greater than status.replicas"));
  }
  if (availableReplicas > readyReplicas) {
    faults.push(invalid("status.availableReplicas", availableReplicas, "cannot be greater than readyReplicas"));
  }
  return faults;
}
