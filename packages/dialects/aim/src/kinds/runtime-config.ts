import { defineTwin } from "@trivium/kube";
import { obj, opt } from "@trivium/schema";
import { group } from "../group.ts";
import { env, imagePullSecrets, serviceAccountName } from "./pod-fields.ts";
import { configStorage, modelSettings, overridableSettings } from "./runtime-settings.ts";
import { conditions, observedGeneration } from "./status-fields.ts";

const spec = obj("Defaults for everything that names this config", {
  ...overridableSettings,
  storage: opt(configStorage),
  model: opt(obj("Defaults for models", modelSettings)),
  env: opt(env("Variables for serving and download containers; everything else that sets the same variable wins")),
  serviceAccountName: opt(serviceAccountName("Account of pods that nothing else gives one")),
  imagePullSecrets: opt(imagePullSecrets("Secrets for pulling images, added to those that others name")),
});

const status = obj("What is known of the config", {
  observedGeneration: opt(observedGeneration()),
  conditions: opt(conditions()),
});

const ageColumn = { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" } as const;

export const [AIMRuntimeConfig, AIMClusterRuntimeConfig] = defineTwin({
  ...group,
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
    description: "Defaults for the AIM objects of all namespaces; an AIMRuntimeConfig of the same name is laid over it",
    columns: [{ name: "DefaultStorageClass", type: "string", jsonPath: ".spec.defaultStorageClassName" }, ageColumn],
  },
  spec,
  specIsOptional: true,
  status,
});
