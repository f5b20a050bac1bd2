import { parseServingAnnotations } from "@trivium/engines";
import { Deployment, type Kind } from "@trivium/kube";
import type { Part, Reader } from "@trivium/reconcile";
import { absent, type Fact } from "@trivium/std";
import { listObjects, type RequestedObject } from "../adapters/adapter-objects.ts";
import { InferenceService } from "../kinds/inference-service.ts";
import { LoRAAdapter } from "../kinds/lora-adapter.ts";

/** What matters of the service that loads the adapter. */
export interface ObservedAdapterService {
  readonly uid: string;
  readonly runtime: string;
  /** Adapters of its annotation. */
  readonly own: readonly string[];
}

/** What runs of the service. */
export interface ObservedAdapterPods {
  readonly owner: string;
  readonly args: readonly string[];
  /** Whether every pod has the newest template and is ready. */
  readonly isRolledOut: boolean;
}

export interface ObservedAdapter {
  readonly service: Fact<ObservedAdapterService>;
  readonly deployment: Fact<ObservedAdapterPods>;
  /** All adapters of the service, this one too. */
  readonly objects: readonly RequestedObject[];
}

export const adapterReads = [InferenceService, LoRAAdapter, Deployment] as const satisfies readonly Kind[];

const servicePart: Part<InferenceService, ObservedAdapterService> = {
  name: "service of an adapter",
  of: ({ metadata, spec }) => ({
    uid: metadata.uid ?? "",
    runtime: spec.runtime ?? "llamacpp",
    own: parseServingAnnotations(metadata.annotations).adapters.map(({ name }) => name),
  }),
};

const podsPart: Part<Deployment, ObservedAdapterPods> = {
  name: "pods of an adapter",
  of: ({ metadata, spec, status }) => {
    const { replicas = 1 } = spec ?? {};
    const isCurrent = status?.observedGeneration === metadata.generation;
    const counts = [status?.replicas, status?.updatedReplicas, status?.readyReplicas];
    return {
      owner: metadata.ownerReferences?.find(({ controller }) => controller === true)?.uid ?? "",
      args: spec?.template.spec?.containers.flatMap(({ args = [] }) => args) ?? [],
      isRolledOut: isCurrent && replicas > 0 && counts.every((count) => count === replicas),
    };
  },
};

export function observeAdapter(
  { metadata, spec }: LoRAAdapter,
  reader: Reader<(typeof adapterReads)[number]>,
): ObservedAdapter {
  const { namespace } = metadata;
  const { name, namespace: named = namespace } = spec.inferenceServiceRef;
  if (named !== namespace) return { service: absent, deployment: absent, objects: [] };
  return {
    service: reader.getPart(InferenceService, { namespace, name }, servicePart),
    deployment: reader.getPart(Deployment, { namespace, name }, podsPart),
    objects: listObjects({ namespace, name }, reader),
  };
}
