import { Pod, type PodTemplateSpec, type StatefulSet } from "@trivium/kube";
import type { Desired } from "@trivium/reconcile";
import { podFromTemplate } from "../pods/pod-from-template.ts";
import { identityLabels, podNameOf, revisionLabel } from "./identity.ts";

/** The pod of a number, from the template of a revision. */
export function newPod(set: StatefulSet, ordinal: number, template: PodTemplateSpec, revision: string): Desired {
  const name = podNameOf(set, ordinal);
  const pod = podFromTemplate(template, { name, namespace: set.metadata.namespace });
  const labels = { ...pod.metadata.labels, ...identityLabels(set, ordinal), [revisionLabel]: revision };
  const { serviceName } = set.spec;
  const volumes = volumesOf(set, ordinal, template);
  const object: Pod = {
    ...pod,
    metadata: { ...pod.metadata, labels },
    spec: {
      ...pod.spec,
      hostname: name,
      ...(serviceName && { subdomain: serviceName }),
      ...(volumes.length > 0 && { volumes }),
    },
  };
  const about = `Create Pod ${name} in StatefulSet ${set.metadata.name}`;
  return {
    kind: Pod,
    object,
    createOnly: true,
    events: {
      made: { type: "Normal", reason: "SuccessfulCreate", message: `${about} successful` },
      failed: { type: "Warning", reason: "FailedCreate", message: `${about} failed error: ` },
    },
  };
}

/** A claim takes the place of a volume of the same name. */
function volumesOf(set: StatefulSet, ordinal: number, template: PodTemplateSpec) {
  const names = (set.spec.volumeClaimTemplates ?? []).map(({ metadata }) => metadata.name ?? "");
  const claims = names.map((name) => ({
    name,
    persistentVolumeClaim: { claimName: `${name}-${set.metadata.name}-${ordinal}` },
  }));
  return [...claims, ...(template.spec?.volumes ?? []).filter(({ name }) => !names.includes(name))];
}
