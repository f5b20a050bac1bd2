import type { ServingDialect } from "@trivium/domain";
import { type AnyReconciler, ofUpstream } from "@trivium/reconcile";
import { cacheBudget } from "./cache-budget/reconciler.ts";
import { readService } from "./conversion/read-service.ts";
import { writeService } from "./conversion/write-service.ts";
import { discoverySlots } from "./discovery-slots/reconciler.ts";
import { newerSibling } from "./eai/convert.ts";
import { inNewerGroup, newerTerms } from "./eai/dialect.ts";
import { isInBoth, newerNameOf } from "./eai/translate-reconciler.ts";
import { group } from "./group.ts";
import { AIMClusterModelSource } from "./kinds/cluster-model-source.ts";
import { AIMKVCache } from "./kinds/kv-cache.ts";
import { AIMClusterImage, AIMClusterModel, AIMImage, AIMModel } from "./kinds/model.ts";
import { AIMModelCache } from "./kinds/model-cache.ts";
import { AIMClusterRuntimeConfig, AIMRuntimeConfig } from "./kinds/runtime-config.ts";
import { AIMService } from "./kinds/service.ts";
import { AIMClusterServiceTemplate, AIMServiceTemplate } from "./kinds/service-template.ts";
import { AIMTemplateCache } from "./kinds/template-cache.ts";
import { kvCacheReconciler } from "./kv-cache/reconciler.ts";
import { modelScopes } from "./model/names/scopes.ts";
import { modelReconciler } from "./model/reconciler.ts";
import { modelCacheReconciler } from "./model-cache/reconciler.ts";
import { modelSourceReconciler } from "./model-source/reconciler.ts";
import { type AimOptions, defaultOptions } from "./options.ts";
import { pausable } from "./pause.ts";
import { runtimeConfigReconciler } from "./runtime-config/reconciler.ts";
import { serviceReconciler } from "./service/reconciler.ts";
import { explainService } from "./service/selection/explain.ts";
import { statusGuide } from "./status-guide.ts";
import { summarizeService } from "./summarize-service.ts";
import { templateReconciler, templateScopes } from "./template/reconciler.ts";
import { templateCacheReconciler } from "./template-cache/reconciler.ts";
import { defaultTerms, type Terms } from "./terms.ts";
import { upstream } from "./upstream.ts";
import { weightsReader } from "./weights-reader.ts";

export { eaiStatusGuide, eaiWeightsReader, summarizeEaiService } from "./eai/read-status.ts";
export { type AimOptions, defaultOptions as aimDefaults } from "./options.ts";
export { chooseTemplate } from "./service/selection/choose-template.ts";
export { statusGuide as aimStatusGuide } from "./status-guide.ts";
export { summarizeService as summarizeAimService } from "./summarize-service.ts";
export { weightsReader as aimWeightsReader } from "./weights-reader.ts";
export {
  AIMClusterModel,
  AIMClusterRuntimeConfig,
  AIMClusterServiceTemplate,
  AIMModel,
  AIMService,
  AIMServiceTemplate,
};

const kinds = [
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
];

/** The dialect as one operator runs it. */
export function createAim(options: AimOptions = defaultOptions, terms: Terms = defaultTerms): ServingDialect {
  return {
    name: "aim",
    group: group.group,
    kinds,
    statusGuide,
    explainers: [explainService(options)],
    ...weightsReader,
    summarizeService,
    serviceKind: AIMService,
    readService,
    writeService,
    sibling: newerSibling,
    upstream,
    reconcilers: ofUpstream(
      upstream,
      group.group,
      [...catalogOf(options), ...servingOf(options, terms)].map(pausable),
    ).map(movable),
  };
}

/** The same under the group of newer releases. */
export const createAimEai = (options: AimOptions = defaultOptions): ServingDialect =>
  inNewerGroup(createAim(options, newerTerms));

/** What a service of the newer group left without an owner is taken in, and keeps its pods. */
const movable = (reconciler: AnyReconciler): AnyReconciler =>
  isInBoth(reconciler) ? { ...reconciler, formerNames: [newerNameOf(reconciler.name)] } : reconciler;

/** What is there to be served: configs, models, templates, sources. */
function catalogOf(options: AimOptions): AnyReconciler[] {
  return [
    runtimeConfigReconciler("aim.runtime-config", AIMRuntimeConfig),
    runtimeConfigReconciler("aim.cluster-runtime-config", AIMClusterRuntimeConfig),
    ...modelScopes.map((scope) => modelReconciler(scope, options)),
    ...templateScopes.map((scope) => templateReconciler(scope, options)),
    discoverySlots(options),
    modelSourceReconciler(options),
  ];
}

/** What serves, and what it is served from. */
function servingOf(options: AimOptions, terms: Terms): AnyReconciler[] {
  return [
    serviceReconciler(options),
    modelCacheReconciler(options, terms),
    cacheBudget(terms),
    templateCacheReconciler(terms),
    kvCacheReconciler(),
  ];
}

export const aim: ServingDialect = createAim();
export const aimEai: ServingDialect = createAimEai();
