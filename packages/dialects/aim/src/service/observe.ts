import { isServed } from "@trivium/domain";
import { summarizePod } from "@trivium/engines";
import {
  Deployment,
  findCondition,
  HTTPRoute,
  type Kind,
  KServeInferenceService,
  type KubeObject,
  type OwnerReference,
  PersistentVolumeClaim,
  Pod,
} from "@trivium/kube";
import type { Look } from "@trivium/reconcile";
import { type Fact, known } from "@trivium/std";
import { AIMKVCache } from "../kinds/kv-cache.ts";
import { AIMClusterImage, AIMClusterModel, AIMImage, AIMModel } from "../kinds/model.ts";
import { AIMClusterServiceTemplate, AIMServiceTemplate } from "../kinds/service-template.ts";
import { AIMTemplateCache } from "../kinds/template-cache.ts";
import { annotations, labels } from "../labels.ts";
import { labelValueOf } from "../names.ts";
import type { Model, Template } from "../objects.ts";
import type { AimOptions } from "../options.ts";
import { observeRuntimeConfig, runtimeConfigKinds } from "../runtime-config/resolve.ts";
import { modelWishOf } from "./choose-model.ts";
import { hasOverrides } from "./derived-template.ts";
import { kvCacheNameOf } from "./kv-cache.ts";
import { routeLabel, templateAnnotation } from "./labels.ts";
import { addressNameOf, routeNameOf, type Service, temporaryClaimOf, workloadNameOf } from "./names.ts";
import { planRouting } from "./routing.ts";
import type {
  InferenceServiceSeen,
  KVCache,
  ModelSeen,
  RivalRoute,
  RouteSeen,
  ServiceSeen,
  TemplateCache,
  TemplateCacheSeen,
  TemplateSeen,
} from "./seen.ts";
import { settingsFor } from "./settings.ts";
import { modelNameOf } from "./template-facts.ts";

const modelKinds = [AIMModel, AIMImage, AIMClusterModel, AIMClusterImage] as const;
const templateKinds = [AIMServiceTemplate, AIMClusterServiceTemplate] as const;

export const serviceReads = [
  ...modelKinds,
  ...templateKinds,
  ...runtimeConfigKinds,
  AIMTemplateCache,
  AIMKVCache,
  KServeInferenceService,
  Deployment,
  Pod,
  PersistentVolumeClaim,
  HTTPRoute,
] as const satisfies readonly Kind[];
export type ServiceLook = Look<(typeof serviceReads)[number]>;

export function observeService(service: Service, look: ServiceLook, options: AimOptions): ServiceSeen {
  const { namespace = "" } = service.metadata;
  const name = workloadNameOf(service);
  const kserve = look.ask(isServed, { group: KServeInferenceService.group, kind: KServeInferenceService.kind });
  const inferenceService = mapFact(look.get(KServeInferenceService, { namespace, name }), inferenceServiceSeen);
  const deployment = mapFact(look.get(Deployment, { namespace, name: addressNameOf(service) }), deploymentSeen);
  const runs = inferenceService.is === "known" || deployment.is === "known";
  const models = observeModels(service, look, options);
  const templates = observeTemplates(service, { look, models, runs });
  const config = observeRuntimeConfig(look, { name: service.spec.runtimeConfigName, namespace });
  const route = mapFact(look.get(HTTPRoute, { namespace, name: routeNameOf(service) }), routeSeen);
  const pods = podSelector(service, kserve);
  return {
    models,
    config,
    ...templates,
    kserve,
    inferenceService,
    deployment,
    pods: look.list(Pod, { namespace, labels: pods }).map((pod) => summarizePod(pod, templateAnnotation)),
    route,
    rivals: observeRivals(service, look, settingsFor(service, config)),
    caches: observeCaches(service, look, templates),
    temporaryClaim: mapFact(
      look.get(PersistentVolumeClaim, { namespace, name: temporaryClaimOf(service) }),
      () => true,
    ),
    ...(service.spec.kvCache === undefined
      ? {}
      : { kvCache: mapFact(look.get(AIMKVCache, { namespace, name: kvCacheNameOf(service) }), kvCacheSeen) }),
  };
}

function mapFact<T, R>(fact: Fact<T>, read: (value: T) => R): Fact<R> {
  return fact.is === "known" ? known(read(fact.value)) : fact;
}

function podSelector(service: Service, kserve: Fact<boolean>): Record<string, string> {
  if (kserve.is === "known" && kserve.value) return { "serving.kserve.io/inferenceservice": workloadNameOf(service) };
  return { [labels.serviceName]: labelValueOf(service.metadata.name ?? "") };
}

/** By name the nearest; by image all that have it, since more than one is a fault. */
function observeModels(service: Service, look: ServiceLook, options: AimOptions): Fact<readonly ModelSeen[]> {
  const { namespace } = service.metadata;
  const wish = modelWishOf(service, options);
  if (wish.by === "image") {
    const inNamespace = [AIMModel, AIMImage].flatMap((kind) => look.list(kind, { namespace }));
    const everywhere = [AIMClusterModel, AIMClusterImage].flatMap((kind) => look.list(kind, {}));
    const found = [...inNamespace, ...everywhere].filter(({ spec }) => spec.image === wish.image && !spec.modelSources);
    return known(withoutShadowed(found.map(modelSeen)));
  }
  const ref = { namespace, name: wish.name };
  const found = wish.by === "custom" ? look.get(AIMModel, ref) : look.nearest<Kind<Model>>(modelKinds, ref);
  return found.is === "absent" ? known([]) : mapFact(found, (model) => [modelSeen(model)]);
}

/** Under its older name a model counts only where no other has that name. */
function withoutShadowed(models: readonly ModelSeen[]): ModelSeen[] {
  const isModel = ({ kind }: ModelSeen): boolean => kind === AIMModel.kind || kind === AIMClusterModel.kind;
  const hides = (one: ModelSeen, other: ModelSeen) =>
    isModel(one) && one.scope === other.scope && one.name === other.name;
  return models.filter((other) => isModel(other) || !models.some((one) => hides(one, other)));
}

const ownersOf = ({ metadata }: KubeObject): OwnerReference[] => metadata.ownerReferences ?? [];

function modelSeen(model: Model): ModelSeen {
  const { kind, metadata, spec, status } = model;
  return {
    kind,
    scope: metadata.namespace === undefined ? "Cluster" : "Namespace",
    name: metadata.name ?? "",
    uid: metadata.uid ?? "",
    spec,
    owners: ownersOf(model),
    ...(status === undefined ? {} : { status }),
  };
}

function templateSeen(template: Template): TemplateSeen {
  const { metadata, spec, status } = template;
  return {
    scope: metadata.namespace === undefined ? "Cluster" : "Namespace",
    name: metadata.name ?? "",
    uid: metadata.uid ?? "",
    labels: metadata.labels ?? {},
    owners: ownersOf(template),
    spec,
    ...(status === undefined ? {} : { status }),
  };
}

type TemplatesSeen = Pick<ServiceSeen, "template" | "candidates" | "usual">;

interface TemplateReading {
  readonly look: ServiceLook;
  readonly models: Fact<readonly ModelSeen[]>;
  readonly runs: boolean;
}

/** Where the choice is made, only what was chosen is looked at: other templates may come and go. */
function observeTemplates(service: Service, { look, models, runs }: TemplateReading): TemplatesSeen {
  const { namespace } = service.metadata;
  const nearest = (name: string): Fact<TemplateSeen> =>
    mapFact(look.nearest<Kind<Template>>(templateKinds, { namespace, name }), templateSeen);
  const named = service.spec.templateRef ?? service.spec.template?.name;
  const model = models.is === "known" ? models.value[0] : undefined;
  const kept = runs ? keptTemplate(service) : undefined;
  if (kept !== undefined) {
    const template = nearest(kept);
    if (template.is !== "absent") return { template, candidates: [] };
  }
  const candidates = model === undefined ? [] : candidatesOf(service, look, model.name);
  if (named !== undefined) return { template: nearest(named), candidates: hasOverrides(service) ? candidates : [] };
  const usual = model?.spec.defaultServiceTemplate;
  return { candidates, ...(usual ? { usual: nearest(usual) } : {}) };
}

/** What was chosen for this very spec stands, unless somebody asks for a new choice. */
export function keptTemplate({ metadata, status }: Service): string | undefined {
  const isSame = status?.observedGeneration === metadata.generation;
  const isAsked = metadata.annotations?.[annotations.reselect] === "true";
  return isSame && !isAsked ? status?.resolvedTemplate?.name : undefined;
}

/** Derived ones too: they are found by their name, and never chosen. */
function candidatesOf({ metadata }: Service, look: ServiceLook, model: string): TemplateSeen[] {
  const inNamespace = look.list(AIMServiceTemplate, { namespace: metadata.namespace });
  const everywhere = look.list(AIMClusterServiceTemplate, {});
  return [...inNamespace, ...everywhere].map(templateSeen).filter((one) => modelNameOf(one) === model);
}

function inferenceServiceSeen({ status }: KServeInferenceService): InferenceServiceSeen {
  const ready = findCondition(status?.conditions, "Ready");
  const failure = status?.modelStatus?.lastFailureInfo;
  return {
    isReady: ready?.status === "True",
    ...(ready?.message ? { message: ready.message } : {}),
    ...(failure === undefined ? {} : { failure: failure.message ?? failure.reason ?? "" }),
  };
}

function deploymentSeen({ spec }: Deployment) {
  const template = spec?.template.metadata?.annotations?.[templateAnnotation];
  return { replicas: spec?.replicas ?? 1, ...(template === undefined ? {} : { template }) };
}

function routeSeen({ metadata, status }: HTTPRoute): RouteSeen {
  const parents = (status?.parents ?? []).map(({ conditions }) => {
    const accepted = findCondition(conditions ?? [], "Accepted");
    return {
      accepted: accepted?.status === "True",
      reason: accepted?.reason ?? "Pending",
      message: accepted?.message ?? "",
    };
  });
  return { ...(metadata.creationTimestamp === undefined ? {} : { createdAt: metadata.creationTimestamp }), parents };
}

/** Routes carry the digest of their path, so only those with the same one are ever looked at. */
function observeRivals(
  { metadata, ...service }: Service,
  look: ServiceLook,
  settings: ReturnType<typeof settingsFor>,
): RivalRoute[] {
  const routing = settings === undefined ? undefined : planRouting({ metadata, ...service }, settings);
  if (routing?.is !== "on") return [];
  const same = look.list(HTTPRoute, { labels: { [routeLabel]: routing.key } });
  return same
    .filter((one) => one.metadata.namespace !== metadata.namespace || one.metadata.name !== metadata.name)
    .map((one) => ({
      namespace: one.metadata.namespace ?? "",
      name: one.metadata.name ?? "",
      createdAt: one.metadata.creationTimestamp ?? "",
    }));
}

function observeCaches(
  service: Service,
  look: ServiceLook,
  { template, candidates, usual }: TemplatesSeen,
): TemplateCacheSeen[] {
  const { namespace, uid } = service.metadata;
  const named = [template, usual].flatMap((fact) => (fact?.is === "known" ? [fact.value.name] : []));
  const names = new Set([...candidates.map(({ name }) => name), ...named]);
  const ours = (cache: TemplateCache): boolean =>
    cache.metadata.ownerReferences?.some((owner) => owner.uid === uid) === true ||
    cache.metadata.labels?.[labels.serviceName] === labelValueOf(service.metadata.name ?? "");
  return look
    .list(AIMTemplateCache, { namespace })
    .filter((cache) => names.has(cache.spec.templateRef ?? cache.spec.templateName ?? "") || ours(cache))
    .map((cache) => ({
      name: cache.metadata.name ?? "",
      uid: cache.metadata.uid ?? "",
      isLeaving: cache.metadata.deletionTimestamp !== undefined,
      isOurs: ours(cache),
      spec: cache.spec,
      ...(cache.status === undefined ? {} : { status: cache.status }),
    }));
}

function kvCacheSeen(cache: KVCache) {
  const { metadata, spec, status } = cache;
  return {
    uid: metadata.uid ?? "",
    isMadeForServices: metadata.labels?.[labels.autoCreated] === "true",
    owners: ownersOf(cache),
    spec,
    ...(status === undefined ? {} : { status }),
  };
}
