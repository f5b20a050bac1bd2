import type { api } from "@trivium/kube";
import { defaultContainer } from "./default-container.ts";
import { defaultVolume } from "./default-volume.ts";

/** What the server fills in for a pod's spec, whether of a pod or inside a template. */
export function defaultPodSpec(spec: api.PodSpec): void {
  spec.dnsPolicy ||= "ClusterFirst";
  spec.restartPolicy ||= "Always";
  spec.securityContext ??= {};
  spec.terminationGracePeriodSeconds ??= 30;
  spec.schedulerName ||= "default-scheduler";
  // Two spellings of one field; the newer one decides.
  const account = spec.serviceAccountName || spec.serviceAccount;
  if (account) {
    spec.serviceAccountName = account;
    spec.serviceAccount = account;
  }
  for (const container of allContainers(spec)) defaultContainer(container);
  for (const volume of spec.volumes ?? []) defaultVolume(volume);
}

export function allContainers(spec: api.PodSpec): (api.Container | api.EphemeralContainer)[] {
  return [...(spec.initContainers ?? []), ...(spec.containers ?? []), ...(spec.ephemeralContainers ?? [])];
}

/** The same for a template; one without a spec gets an empty one, for validation to complain about. */
export function defaultPodTemplate(template: api.PodTemplateSpec | undefined): void {
  if (template === undefined) return;
  template.spec ??= { containers: [] };
  defaultPodSpec(template.spec);
}
