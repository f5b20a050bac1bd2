import { ConfigMap } from "@trivium/kube";
import type { Desired } from "@trivium/reconcile";
import { shortHash } from "@trivium/std";
import type { InferenceService } from "../../kinds/inference-service.ts";
import { labelValueOf, serviceLabel } from "../../names.ts";
import { adapterNamesOf, weightListing } from "../adapters/index.ts";
import type { Intended } from "../lower.ts";
import type { ObservedModel } from "../observed/model.ts";
import type { ObservedService } from "../observed/service.ts";
import { entryChildren } from "../traffic/index.ts";
import { componentChildren } from "./component-children.ts";

/** Everything that a service consists of. */
export function childrenOf(service: InferenceService, plan: Intended, { entry: observed }: ObservedService): Desired[] {
  const { model, components, entry, way } = plan;
  const models = [service.metadata.name ?? "", model.name, ...adapterNamesOf(model.weights)];
  return [
    modelListing(service, model),
    ...components.flatMap(componentChildren),
    ...entryChildren(service, { parts: { components, entry }, plan: way, observed, models }),
  ];
}

const baseLabels = ({ metadata }: InferenceService): Record<string, string> => ({
  [serviceLabel]: labelValueOf(metadata.name ?? ""),
});

/** Which models the service is of, for whoever looks from inside a pod. Nothing secret is in it. */
function modelListing(service: InferenceService, model: ObservedModel): Desired {
  const { name = "" } = service.metadata;
  const { traits, place, storage } = model;
  const entry = {
    modelName: model.name,
    modelSpec: {
      storageUri: storage.storageUri,
      path: place.is === "faulty" ? "" : place.path,
      schemaPath: storage.schemaPath,
      storageKey: storage.storageKey,
      modelFormatName: traits.modelFormat?.name,
      modelFormatVersion: traits.modelFormat?.version,
      modelType: storage.modelType,
      modelFrameworkName: traits.modelFramework?.name,
      modelFrameworkVersion: traits.modelFramework?.version,
    },
    ...weightListing(model.weights),
  };
  const object: ConfigMap = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: {
      name: `modelconfig-${name.slice(-20).replace(/^-+/, "")}-${shortHash(name, 6)}`,
      labels: baseLabels(service),
    },
    data: { "models.json": JSON.stringify([entry]) },
  };
  return { kind: ConfigMap, object };
}
