import type { api } from "@trivium/kube";
import { pullPolicyOf } from "./default-container.ts";

/** Mode 0644 of files made from Secrets, ConfigMaps and the pod's own fields. */
const fileMode = 0o644;

/** What the server fills in for one volume of a pod or of a template of pods. */
export function defaultVolume(volume: api.Volume): void {
  if (Object.keys(volume).every((key) => key === "name")) volume.emptyDir = {};
  if (volume.secret) volume.secret.defaultMode ??= fileMode;
  if (volume.configMap) volume.configMap.defaultMode ??= fileMode;
  if (volume.hostPath) volume.hostPath.type ??= "";
  if (volume.image) volume.image.pullPolicy ??= pullPolicyOf(volume.image.reference ?? "");
  if (volume.downwardAPI) {
    volume.downwardAPI.defaultMode ??= fileMode;
    defaultFieldRefs(volume.downwardAPI.items);
  }
  if (volume.projected) defaultProjection(volume.projected);
  if (volume.ephemeral?.volumeClaimTemplate) volume.ephemeral.volumeClaimTemplate.spec.volumeMode ??= "Filesystem";
  if (volume.iscsi) volume.iscsi.iscsiInterface ??= "default";
  if (volume.rbd) {
    volume.rbd.pool ??= "rbd";
    volume.rbd.user ??= "admin";
    volume.rbd.keyring ??= "/etc/ceph/keyring";
  }
}

function defaultProjection(projected: api.ProjectedVolumeSource): void {
  projected.defaultMode ??= fileMode;
  for (const source of projected.sources ?? []) {
    if (source.serviceAccountToken) source.serviceAccountToken.expirationSeconds ??= 3600;
    if (source.podCertificate) source.podCertificate.maxExpirationSeconds ??= 86400;
    defaultFieldRefs(source.downwardAPI?.items);
  }
}

function defaultFieldRefs(items: readonly api.DownwardAPIVolumeFile[] = []): void {
  for (const item of items) {
    if (item.fieldRef) item.fieldRef.apiVersion ??= "v1";
    if (item.resourceFieldRef) item.resourceFieldRef.divisor ??= "0";
  }
}
