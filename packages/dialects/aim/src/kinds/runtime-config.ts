import { defineTwin } from "@trivium/kube";
import { obj, opt } from "@trivium/schema";
import { group } from "../group.ts";
import { env, imagePullSecrets, serviceAccountName } from "./pod-fields.ts";
import { configStorage, modelSettings, overridableSettings } from "./runtime-settings.ts";
import { conditions, observedGeneration } from "./status-fields.ts";

const spec = obj("Defaults for objects that use this runtime config", {
  ...overridableSettings,
  storage: opt(configStorage),
  model: opt(obj("Defaults for models", modelSettings)),
  env: opt(
    env(
      "Environment variables for serving and download containers; any other setting of the same variable takes precedence",
    ),
  ),
  serviceAccountName: opt(serviceAccountName("Service account of pods for which no other one is set")),
  imagePullSecrets: opt(imagePullSecrets("Secrets for pulling images, added to those of other objects")),
});

const status = obj("Observed state of the runtime config", {
  observedGeneration: opt(observedGeneration()),
  conditions: opt(conditions()),
});

const ageColumn = { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" } as const;

/** All of the kind but its group. */
export const runtimeConfigDefinition = {
  namespaced: {
    kind: "AIMRuntimeConfig",
    plural: "aimruntimeconfigs",
    shortNames: ["aimrcfg", "aimrc"],
    description: "Defaults for the AIM objects of one namespace: storage, routing, labels, credentials",
    columns: [ageColumn],
  },
  cluster: {
    kind: "AIMClusterRuntimeConfig",
    plural: "aimclusterruntimeconfigs",
    shortNames: ["aimcrcfg", "aimclrc"],
    description:
      "Defaults for the AIM objects of all namespaces; settings in an AIMRuntimeConfig of the same name take precedence",
    columns: [{ name: "DefaultStorageClass", type: "string", jsonPath: ".spec.defaultStorageClassName" }, ageColumn],
  },
  spec,
  specIsOptional: true,
  status,
} as const;

export const [AIMRuntimeConfig, AIMClusterRuntimeConfig] = defineTwin({ ...group, ...runtimeConfigDefinition });
