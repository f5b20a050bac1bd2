import { type DefinedKind, defineKind, defineTwin } from "@trivium/kube";
import { int32, map, obj, opt, str } from "@trivium/schema";
import { modelSourceDefinition } from "../kinds/cluster-model-source.ts";
import { kvCacheDefinition } from "../kinds/kv-cache.ts";
import { modelDefinition } from "../kinds/model.ts";
import {
  downloadFields,
  modelCacheDefinition,
  modelCacheStatusFields,
  resolvedCacheFields,
} from "../kinds/model-cache.ts";
import { runtimeConfigDefinition } from "../kinds/runtime-config.ts";
import { serviceDefinition, serviceStatusFields } from "../kinds/service.ts";
import { clusterTemplateDefinition, templateDefinition } from "../kinds/service-template.ts";
import { state } from "../kinds/status-fields.ts";
import { templateCacheDefinition, templateCacheStatusFields } from "../kinds/template-cache.ts";
import { eaiGroup } from "./group.ts";

const cacheStates = ["Pending", "Progressing", "Ready", "Degraded", "NotAvailable", "Failed"] as const;
const cacheState = opt(state("State of the cache", cacheStates));

const artifacts = opt(
  map(
    "Artifacts that contain the weights, by name",
    obj("An artifact and the location of its weights", { ...resolvedCacheFields, status: cacheState }),
  ),
);

const { modelCaches: _, resolvedTemplateCache, ...serviceStatus } = serviceStatusFields;
const { modelCaches: __, ...templateCacheStatus } = templateCacheStatusFields;

/** As in the older group, with the caches in the fields of the newer one. */
const status = obj("Observed state of the service", {
  ...serviceStatus,
  cache: opt(
    obj("Caches that the service uses", {
      templateCacheRef: resolvedTemplateCache,
      retryAttempts: opt(int32("Written by AIM Engine; not used")),
    }),
  ),
  artifacts,
});

const columns = serviceDefinition.columns.map((column) =>
  column.name === "Model" ? { ...column, jsonPath: ".status.resolvedModel.name" } : column,
);

export const EaiService = defineKind({ ...eaiGroup, ...serviceDefinition, columns, status });
export const [EaiModel, EaiClusterModel] = defineTwin({ ...eaiGroup, ...modelDefinition });
export const EaiServiceTemplate = defineKind({ ...eaiGroup, ...templateDefinition });
export const EaiClusterServiceTemplate = defineKind({ ...eaiGroup, ...clusterTemplateDefinition });
export const [EaiRuntimeConfig, EaiClusterRuntimeConfig] = defineTwin({ ...eaiGroup, ...runtimeConfigDefinition });
export const EaiClusterModelSource = defineKind({ ...eaiGroup, ...modelSourceDefinition });
export const EaiKVCache = defineKind({ ...eaiGroup, ...kvCacheDefinition });
export const EaiTemplateCache = defineKind({
  ...eaiGroup,
  ...templateCacheDefinition,
  status: obj("Observed state of the cache", { ...templateCacheStatus, status: cacheState, artifacts }),
});
export const EaiArtifact = defineKind({
  ...eaiGroup,
  ...modelCacheDefinition,
  kind: "AIMArtifact",
  plural: "aimartifacts",
  shortNames: ["aimart"],
  description: "One set of weights, downloaded to a volume in its namespace",
  status: obj("Observed state of the artifact", {
    ...modelCacheStatusFields,
    status: cacheState,
    download: opt(
      obj("Current download", {
        ...downloadFields,
        protocolSequence: opt(str("Transfer protocols, in the order in which they are tried, separated by commas")),
      }),
    ),
  }),
});

export const eaiKinds: readonly DefinedKind[] = [
  EaiModel,
  EaiClusterModel,
  EaiServiceTemplate,
  EaiClusterServiceTemplate,
  EaiService,
  EaiArtifact,
  EaiTemplateCache,
  EaiKVCache,
  EaiRuntimeConfig,
  EaiClusterRuntimeConfig,
  EaiClusterModelSource,
];
