import type { Pod, PodTemplateSpec } from "@trivium/kube";

export interface PodPlace {
  readonly name: string;
  readonly namespace?: string | undefined;
}

/** A pod as a template wants it. Its owner reference is the runtime's to add. */
export function podFromTemplate(template: PodTemplateSpec | undefined, { name, namespace }: PodPlace): Pod {
  const { labels, annotations, finalizers } = template?.metadata ?? {};
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
      ...(finalizers === undefined ? {} : { finalizers }),
    },
    spec: template?.spec ?? { containers: [] },
  };
}
