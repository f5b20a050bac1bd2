import { keepObject } from "@trivium/emitters";
import { apiVersionOf, ownerReferenceTo } from "@trivium/kube";
import type { Desired, Patch } from "@trivium/reconcile";
import { bareKind } from "../../bare-kind.ts";
import { AIMClusterModel } from "../../kinds/model.ts";
import { annotations, labels } from "../../labels.ts";
import { labelValueOf } from "../../names.ts";
import type { ModelSource } from "../../objects.ts";
import type { Settings } from "../../runtime-config/settings/merge-settings.ts";
import { propagateLabels } from "../../runtime-config/settings/propagate-labels.ts";
import type { LoweredSource } from "../lower.ts";
import { type FoundImage, imageTextOf, modelNameOf } from "../selection/find-images.ts";

/** The models of a source: those that it has stay unchanged, and those of newly found images are created. */
export const emitModels = (source: ModelSource, { kept, fresh, settings }: LoweredSource): Desired[] => [
  ...kept.map((name) => keepObject(AIMClusterModel, { name })),
  ...fresh.map((image) => emitModel(source, image, settings)),
];

const apiVersion = apiVersionOf(AIMClusterModel);

/** Makes a model that an earlier source of this name created its own. */
export function adoptModel(source: ModelSource, name: string): Patch {
  const metadata = { name, ownerReferences: [ownerReferenceTo(source)] };
  return {
    patch: "fields",
    kind: bareKind(AIMClusterModel),
    object: { apiVersion, kind: AIMClusterModel.kind, metadata },
  };
}

function emitModel({ metadata, spec }: ModelSource, image: FoundImage, settings: Settings): Desired {
  const { registry, repository, tag } = image;
  const object = {
    apiVersion,
    kind: AIMClusterModel.kind,
    metadata: {
      name: modelNameOf(image),
      labels: propagateLabels(settings, metadata.labels, {
        [labels.modelSource]: labelValueOf(metadata.name ?? ""),
        [labels.autoCreated]: "true",
      }),
      annotations: {
        [annotations.sourceRegistry]: registry,
        [annotations.sourceRepository]: repository,
        [annotations.sourceTag]: tag,
      },
    },
    spec: {
      image: imageTextOf(image),
      ...(spec.imagePullSecrets === undefined
        ? {}
        : { imagePullSecrets: spec.imagePullSecrets.map((one) => ({ ...one })) }),
    },
  };
  return { kind: AIMClusterModel, object, createOnly: true };
}
