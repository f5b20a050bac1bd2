import type { ObservedPod } from "@trivium/domain";
import {
  canaryReads,
  countAsRendered,
  largestNodeMemory,
  nodeHardware,
  observeCanary,
  observePod,
  observeSharedCache,
  parseServingAnnotations,
  summarizeGpus,
} from "@trivium/engines";
import {
  ConfigMap,
  controllerOf,
  Deployment,
  GatewayClass,
  HorizontalPodAutoscaler,
  type Kind,
  KnativeService,
  type KubeObject,
  LeaderWorkerSet,
  Node,
  Pod,
} from "@trivium/kube";
import type { Reader } from "@trivium/reconcile";
import { type Fact, known } from "@trivium/std";
import { observeConfiguration } from "../configuration/index.ts";
import { AcceleratorClass } from "../kinds/accelerator-class.ts";
import { BaseModel, ClusterBaseModel } from "../kinds/base-model.ts";
import { FineTunedWeight } from "../kinds/fine-tuned-weight.ts";
import type { InferenceService } from "../kinds/inference-service.ts";
import { ClusterServingRuntime, ServingRuntime } from "../kinds/serving-runtime.ts";
import { componentLabel, labelValueOf, serviceLabel, templateAnnotation } from "../names.ts";
import type { OmeOptions } from "../options.ts";
import { observeWeights } from "./adapters/index.ts";
import { canaryNamesOf, groupNameOf, objectNameOf } from "./names/labels.ts";
import { observeClasses } from "./observed/classes.ts";
import { installedApisOf, observeInstalledApis } from "./observed/installed-apis.ts";
import { type ObservedModel, observeModel } from "./observed/model.ts";
import { observeRuntimes } from "./observed/runtimes.ts";
import type { ObservedService } from "./observed/service.ts";
import { observedDeployment, observedGroup, observedRevision } from "./observed/workload.ts";
import { type ComponentName, componentNames } from "./roles/component.ts";
import { isFitKnown } from "./sizing/has-served.ts";
import { entryReads, observeEntry } from "./traffic/index.ts";

export const serviceReads = [
  BaseModel,
  ClusterBaseModel,
  FineTunedWeight,
  ServingRuntime,
  ClusterServingRuntime,
  AcceleratorClass,
  LeaderWorkerSet,
  KnativeService,
  HorizontalPodAutoscaler,
  ConfigMap,
  GatewayClass,
  ...canaryReads,
  ...entryReads,
] as const satisfies readonly Kind[];
type ServiceReader = Reader<(typeof serviceReads)[number]>;

export function observeService(service: InferenceService, reader: ServiceReader, options: OmeOptions): ObservedService {
  const { namespace } = service.metadata;
  const model = observeModel(service, reader, options);
  const { runtimes, unreadRuntime } = observeRuntimes(service, reader);
  const configuration = observeConfiguration(reader, options);
  const installedApis = observeInstalledApis(service, reader, { runtimes, configuration });
  const { hasGroups, hasKeda } = installedApisOf({ installedApis });
  const nameOf = (component: ComponentName) => objectNameOf(service, component);
  const get = <O extends KubeObject, S>(kind: Kind<O>, name: string, read: (object: O) => S): Fact<S> =>
    mapFact((reader as Reader).get(kind, { namespace, name }), read);
  const weights = observeWeights(service, reader, options);
  const deployments = eachComponent((one) => get(Deployment, nameOf(one), observedDeployment));
  const groups = hasGroups
    ? eachComponent((one) => get(LeaderWorkerSet, groupNameOf(nameOf(one)), observedGroup))
    : undefined;
  const keptBy = (one: ComponentName) => [deployments[one], groups?.[one]].find((found) => found?.is === "known");
  const pods = eachComponent((one) => {
    const workload = keptBy(one);
    const live = workload?.is === "known" ? workload.value : undefined;
    return observePods(service, one, reader).map((pod) => countAsRendered(pod, live));
  });
  return {
    model,
    ...(weights.length === 0 ? {} : { weights }),
    runtimes,
    ...(unreadRuntime === undefined ? {} : { unreadRuntime }),
    ...observeClasses(service, reader),
    deployments,
    pods,
    installedApis,
    configuration,
    entry: observeEntry(service, reader, { configuration, options }),
    ...(groups === undefined ? {} : { groups }),
    ...(installedApis.knative !== undefined
      ? { revisions: eachComponent((one) => get(KnativeService, nameOf(one), observedRevision)) }
      : {}),
    ...(hasKeda
      ? { autoscalers: eachComponent((one) => get(HorizontalPodAutoscaler, nameOf(one), ownedBy(service))) }
      : {}),
    ...(isFitKnown(service, { pods }) ? {} : observeMemory(reader, model)),
    ...observeSharedCache(service, reader),
    ...observeCanaries(service, reader),
  };
}

const mapFact = <T, R>(fact: Fact<T>, read: (value: T) => R): Fact<R> =>
  fact.is === "known" ? known(read(fact.value)) : fact;

const ownedBy =
  ({ metadata }: InferenceService) =>
  (object: KubeObject): { readonly isOurs: boolean } => ({ isOurs: controllerOf(object)?.uid === metadata.uid });

/** What nodes offer to weights whose size is known or follows from what the model declares. */
function observeMemory(reader: ServiceReader, model: Fact<ObservedModel>): Pick<ObservedService, "nodeBytes" | "gpus"> {
  if (model.is !== "known") return {};
  const { weightBytes, traits } = model.value;
  if (weightBytes === undefined && traits.modelParameterSize === undefined) return {};
  const nodes = reader.listParts(Node, {}, nodeHardware);
  const nodeBytes = largestNodeMemory(nodes);
  const gpus = summarizeGpus(nodes);
  return { ...(nodeBytes === undefined ? {} : { nodeBytes }), ...(gpus.length === 0 ? {} : { gpus }) };
}

function observeCanaries(service: InferenceService, reader: ServiceReader): Pick<ObservedService, "canaries"> {
  const { canaryPercent } = parseServingAnnotations(service.metadata.annotations);
  // The annotation is about the component where requests come in, which the runtime decides too.
  const tried = componentNames.filter(
    (name) =>
      service.spec[name]?.canaryTrafficPercent !== undefined || (canaryPercent !== undefined && name !== "decoder"),
  );
  if (tried.length === 0) return {};
  const of = (one: ComponentName) =>
    observeCanary(service, { names: canaryNamesOf(service, one), template: templateAnnotation, reader });
  return { canaries: Object.fromEntries(tried.map((name) => [name, of(name)])) };
}

const eachComponent = <T>(of: (component: ComponentName) => T): Record<ComponentName, T> =>
  Object.fromEntries(componentNames.map((name) => [name, of(name)])) as Record<ComponentName, T>;

/** Without those of a canary, which are observed as such. */
function observePods(service: InferenceService, component: ComponentName, reader: ServiceReader): ObservedPod[] {
  const { metadata } = service;
  const { app } = canaryNamesOf(service, component).selector;
  const labels = { [serviceLabel]: labelValueOf(metadata.name ?? ""), [componentLabel]: component };
  return reader
    .list(Pod, { namespace: metadata.namespace, labels })
    .filter((pod) => pod.metadata.labels?.app !== app)
    .map((pod) => observePod(pod, templateAnnotation, reader))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}
