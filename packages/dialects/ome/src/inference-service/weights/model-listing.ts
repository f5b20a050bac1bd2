import type { ConfigPlan } from "@trivium/domain";
import { shortHash } from "@trivium/std";
import type { InferenceService } from "../../kinds/inference-service.ts";
import { labelValueOf, serviceLabel } from "../../names.ts";
import { weightListing } from "../adapters/index.ts";
import type { ObservedModel } from "../observed/model.ts";

/** Which models the service is of, for whoever looks from inside a pod. Nothing secret is in it. */
export function modelListing(service: InferenceService, model: ObservedModel): ConfigPlan {
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
  return {
    name: `modelconfig-${name.slice(-20).replace(/^-+/, "")}-${shortHash(name, 6)}`,
    labels: { [serviceLabel]: labelValueOf(name) },
    data: { "models.json": JSON.stringify([entry]) },
  };
}
