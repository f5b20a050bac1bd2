import { defineKind } from "@trivium/kube";
import { bool, int32, list, obj, oneOf, opt, str, time } from "@trivium/schema";
import { group } from "../group.ts";
import { imagePullSecrets } from "./pod-fields.ts";
import { conditions, observedGeneration } from "./status-fields.ts";

const versionDescription =
  "Which versions to take, such as >=1.0.0, ~1.2.0 or ^1.0.0; tags that are no version are passed over";

const filter = obj("Images to look for", {
  image: str(
    "Repository with * for any characters, optionally with registry and tag: org/aim-*, org/aim-llama:1.0.0, ghcr.io/org/aim-*. A registry here wins over spec.registry; a tag makes versions meaningless",
    { maxLength: 512 },
  ),
  exclude: opt(
    list("Repositories to leave out, by exact name without registry", str("A repository, such as org/aim-base")),
  ),
  versions: opt(list(`${versionDescription}. Replaces spec.versions for this filter`, str("A version constraint"))),
});

const spec = obj("Which registry to look at, what for and how often", {
  registry: opt(str("Registry to look at", { default: "docker.io" })),
  imagePullSecrets: opt(
    imagePullSecrets("Secrets for listing the registry and reading image labels; in the operator's namespace"),
  ),
  filters: list("Images to look for; one that matches any filter is taken", filter, { minItems: 1, maxItems: 100 }),
  syncInterval: opt(
    str("How often to look, such as 30m or 1h; less than 15m may meet the registry's limits", { default: "1h" }),
  ),
  versions: opt(list(versionDescription, str("A version constraint"))),
  maxModels: opt(
    int32("Most models to create; nothing is deleted when it is lowered", { default: 100, minimum: 1, maximum: 10000 }),
  ),
});

const status = obj("What was found", {
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
  lastSyncTime: opt(time("When the registry was last looked through successfully")),
  discoveredModels: opt(int32("Models that this source keeps")),
  availableModels: opt(int32("Images that match; more than discoveredModels when maxModels was reached")),
  modelsLimitReached: opt(bool("Whether maxModels keeps further images out")),
  missingImages: opt(
    list("Images of its models that no filter finds any more; the models stay", str("An image"), { maxItems: 100 }),
  ),
  conditions: opt(conditions()),
  observedGeneration: opt(observedGeneration()),
});

export const AIMClusterModelSource = defineKind({
  ...group,
  scope: "Cluster",
  kind: "AIMClusterModelSource",
  plural: "aimclustermodelsources",
  shortNames: ["aimclsrc"],
  description: "Looks through a registry again and again and makes an AIMClusterModel of each image that matches",
  columns: [
    { name: "Status", type: "string", jsonPath: ".status.status" },
    { name: "Models", type: "integer", jsonPath: ".status.discoveredModels" },
    { name: "LastSync", type: "date", jsonPath: ".status.lastSyncTime" },
    { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
  ],
  spec,
  status,
});
