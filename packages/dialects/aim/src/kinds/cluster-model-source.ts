import { defineKind } from "@trivium/kube";
import { bool, int32, list, obj, oneOf, opt, str, time } from "@trivium/schema";
import { group } from "../group.ts";
import { imagePullSecrets } from "./pod-fields.ts";
import { conditions, observedGeneration } from "./status-fields.ts";

const versionDescription =
  "Version constraints, such as >=1.0.0, ~1.2.0 or ^1.0.0. Tags that are not versions are ignored";

const filter = obj("Images to find", {
  image: str(
    "Repository, where * matches any characters, optionally with a registry and a tag: org/aim-*, org/aim-llama:1.0.0, ghcr.io/org/aim-*. A registry here overrides spec.registry; with a tag, versions are ignored",
    { maxLength: 512 },
  ),
  exclude: opt(
    list("Repositories to exclude, by exact name without the registry", str("A repository, such as org/aim-base")),
  ),
  versions: opt(list(`${versionDescription}. Replaces spec.versions for this filter`, str("A version constraint"))),
});

const spec = obj("Registry to search, images to find, and how often", {
  registry: opt(str("Registry to search", { default: "docker.io" })),
  imagePullSecrets: opt(
    imagePullSecrets("Secrets, in the operator's namespace, for listing the registry and reading image labels"),
  ),
  filters: list("Filters for images; an image is included if it matches at least one filter", filter, {
    minItems: 1,
    maxItems: 100,
  }),
  syncInterval: opt(
    str("How often to search the registry, such as 30m or 1h. Less than 15m can exceed the registry's rate limits", {
      default: "1h",
    }),
  ),
  versions: opt(list(versionDescription, str("A version constraint"))),
  maxModels: opt(
    int32("Maximum number of models to create. Lowering it deletes nothing", {
      default: 100,
      minimum: 1,
      maximum: 10000,
    }),
  ),
});

const status = obj("Observed state of the source", {
  status: opt(
    oneOf("State of the source", [
      "Pending",
      "Starting",
      "Progressing",
      "Ready",
      "Running",
      "Degraded",
      "NotAvailable",
      "Failed",
    ]),
  ),
  lastSyncTime: opt(time("Time of the last successful search of the registry")),
  discoveredModels: opt(int32("Number of models that belong to this source")),
  availableModels: opt(int32("Number of images that match; larger than discoveredModels if maxModels is reached")),
  modelsLimitReached: opt(bool("Whether maxModels prevents further models from being created")),
  missingImages: opt(
    list("Images of existing models that no filter matches any more; the models are kept", str("An image"), {
      maxItems: 100,
    }),
  ),
  conditions: opt(conditions()),
  observedGeneration: opt(observedGeneration()),
});

/** All of the kind but its group. */
export const modelSourceDefinition = {
  scope: "Cluster",
  kind: "AIMClusterModelSource",
  plural: "aimclustermodelsources",
  shortNames: ["aimclsrc"],
  description: "Searches a registry periodically and creates an AIMClusterModel for each matching image",
  columns: [
    { name: "Status", type: "string", jsonPath: ".status.status" },
    { name: "Models", type: "integer", jsonPath: ".status.discoveredModels" },
    { name: "LastSync", type: "date", jsonPath: ".status.lastSyncTime" },
    { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
  ],
  spec,
  status,
} as const;

export const AIMClusterModelSource = defineKind({ ...group, ...modelSourceDefinition });
