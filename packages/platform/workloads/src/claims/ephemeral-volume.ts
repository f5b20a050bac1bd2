import { PersistentVolumeClaim, Pod } from "@trivium/kube";
import type { Desired, Reconciler } from "@trivium/reconcile";
import { isFinished } from "../pods/pod-state.ts";

/** Makes the claims of volumes that live and die with their pod. */
export const ephemeralVolumeReconciler: Reconciler<Pod, null, typeof PersistentVolumeClaim> = {
  name: "ephemeral-volume-controller",
  kind: Pod,
  reads: [],
  writes: [PersistentVolumeClaim],
  hasPlainConditions: true,
  observe: () => null,
  decide(pod) {
    const status = pod.status ?? {};
    const children = claimsOf(pod);
    // With its end the pod's claims are garbage; nothing is made for it any more, nor taken away.
    if (children.length === 0 || isFinished(pod)) return { do: "hold", status };
    return { do: "converge", children, status };
  },
};

function claimsOf({ metadata, spec }: Pod): Desired<PersistentVolumeClaim>[] {
  return (spec?.volumes ?? []).flatMap(({ name, ephemeral }) => {
    const template = ephemeral?.volumeClaimTemplate;
    if (template === undefined) return [];
    const { labels, annotations } = template.metadata ?? {};
    const object: PersistentVolumeClaim = {
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: {
        name: `${metadata.name}-${name}`,
        ...(labels === undefined ? {} : { labels }),
        ...(annotations === undefined ? {} : { annotations }),
      },
      spec: template.spec,
    };
    const failed = { type: "Warning", reason: "FailedBinding", message: `ephemeral volume ${name}: ` } as const;
    return [{ kind: PersistentVolumeClaim, object, createOnly: true, events: { failed } }];
  });
}
