import type { api } from "@trivium/kube";
import { defaultPodTemplate } from "../pod-template/default-spec.ts";

export function defaultDeployment({ spec }: api.Deployment): void {
  spec.replicas ??= 1;
  spec.strategy ??= {};
  spec.strategy.type ||= "RollingUpdate";
  if (spec.strategy.type === "RollingUpdate") {
    spec.strategy.rollingUpdate ??= {};
    spec.strategy.rollingUpdate.maxUnavailable ??= "25%";
    spec.strategy.rollingUpdate.maxSurge ??= "25%";
  }
  spec.revisionHistoryLimit ??= 10;
  spec.progressDeadlineSeconds ??= 600;
  spec.template ??= {};
  defaultPodTemplate(spec.template);
}

export function defaultReplicaSet({ spec }: api.ReplicaSet): void {
  spec.replicas ??= 1;
  spec.template ??= {};
  defaultPodTemplate(spec.template);
}

export function defaultStatefulSet({ spec }: api.StatefulSet): void {
  spec.podManagementPolicy ||= "OrderedReady";
  spec.updateStrategy ??= {};
  spec.updateStrategy.type ||= "RollingUpdate";
  if (spec.updateStrategy.type === "RollingUpdate") {
    spec.updateStrategy.rollingUpdate ??= {};
    spec.updateStrategy.rollingUpdate.partition ??= 0;
  }
  spec.persistentVolumeClaimRetentionPolicy ??= {};
  spec.persistentVolumeClaimRetentionPolicy.whenDeleted ||= "Retain";
  spec.persistentVolumeClaimRetentionPolicy.whenScaled ||= "Retain";
  spec.replicas ??= 1;
  spec.revisionHistoryLimit ??= 10;
  spec.template ??= {};
  defaultPodTemplate(spec.template);
  for (const claim of spec.volumeClaimTemplates ?? []) {
    claim.apiVersion = "v1";
    claim.kind = "PersistentVolumeClaim";
    claim.spec ??= {};
    claim.spec.volumeMode ??= "Filesystem";
    claim.status = { ...claim.status, phase: claim.status?.phase ?? "Pending" };
  }
}

export function defaultDaemonSet({ spec }: api.DaemonSet): void {
  spec.updateStrategy ??= {};
  spec.updateStrategy.type ||= "RollingUpdate";
  if (spec.updateStrategy.type === "RollingUpdate") {
    spec.updateStrategy.rollingUpdate ??= {};
    spec.updateStrategy.rollingUpdate.maxUnavailable ??= 1;
    spec.updateStrategy.rollingUpdate.maxSurge ??= 0;
  }
  spec.revisionHistoryLimit ??= 10;
  spec.template ??= {};
  defaultPodTemplate(spec.template);
}

/** Kinds whose spec may be missing get an empty one, so that validation can name what is missing in it. */
export function defaultReplicationController(controller: api.ReplicationController): void {
  const { spec } = controller;
  spec.replicas ??= 1;
  const labels = spec.template?.metadata?.labels;
  if (labels && Object.keys(spec.selector ?? {}).length === 0) spec.selector = { ...labels };
  if (labels && Object.keys(controller.metadata.labels ?? {}).length === 0) controller.metadata.labels = { ...labels };
  defaultPodTemplate(spec.template);
}
