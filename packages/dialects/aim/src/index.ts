import type { Dialect } from "@trivium/reconcile";
import { group } from "./group.ts";
import { AIMClusterModelSource } from "./kinds/cluster-model-source.ts";
import { AIMKVCache } from "./kinds/kv-cache.ts";
import { AIMClusterImage, AIMClusterModel, AIMImage, AIMModel } from "./kinds/model.ts";
import { AIMModelCache } from "./kinds/model-cache.ts";
import { AIMClusterRuntimeConfig, AIMRuntimeConfig } from "./kinds/runtime-config.ts";
import { AIMService } from "./kinds/service.ts";
import { AIMClusterServiceTemplate, AIMServiceTemplate } from "./kinds/service-template.ts";
import { AIMTemplateCache } from "./kinds/template-cache.ts";

export {
  AIMClusterImage,
  AIMClusterModel,
  AIMClusterModelSource,
  AIMClusterRuntimeConfig,
  AIMClusterServiceTemplate,
  AIMImage,
  AIMKVCache,
  AIMModel,
  AIMModelCache,
  AIMRuntimeConfig,
  AIMService,
  AIMServiceTemplate,
  AIMTemplateCache,
};

export const aim: Dialect = {
  name: "aim",
  group: group.group,
  kinds: [
    AIMModel,
    AIMClusterModel,
    AIMImage,
    AIMClusterImage,
    AIMServiceTemplate,
    AIMClusterServiceTemplate,
    AIMService,
    AIMModelCache,
    AIMTemplateCache,
    AIMKVCache,
    AIMRuntimeConfig,
    AIMClusterRuntimeConfig,
    AIMClusterModelSource,
  ],
  reconcilers: [],
};
