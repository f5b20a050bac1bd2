import type { ObservedPod } from "@trivium/domain";
import { largestNodeMemory, observePod, parseServingAnnotations, podReads, summarizeGpus } from "@trivium/engines";
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
  Service,
} from "@trivium/kube";
import type { Reader } from "@trivium/reconcile";
import { type Fact, known } from "@trivium/std";
import { observeConfiguration } from "../configuration/index.ts";
import { BaseModel, ClusterBaseModel } from "../kinds/base-model.ts";
import { FineTunedWeight } from "../kinds/fine-tuned-weight.ts";
import type { InferenceService } from "../kinds/inference-service.ts";
import { ClusterServingRuntime, ServingRuntime } from "../kinds/serving-runtime.ts";
import { componentLabel, labelValueOf, serviceLabel, templateAnnotation } from "../names.ts";
import type { OmeOptions } from "../options.ts";
import type { Candidate } from "../selection/index.ts";
import { observeWeights } from "./adapters/index.ts";
import { groupNameOf, objectNameOf } from "./names/labels.ts";
import { installedApisOf, observeInstalledApis } from "./observed/installed-apis.ts";
import { type ObservedModel, observeModel } from "./observed/model.ts";
import type { ObservedService } from "./observed/service.ts";
import { type ObservedWorkload, observedDeployment, observedGroup, observedRevision } from "./observed/workload.ts";
import { type ComponentName, componentNames } from "./roles/component.ts";
import { hasServed } from "./sizing/has-served.ts";
import { entryKinds, observeEntry } from "./traffic/index.ts";

export const serviceReads = [
  BaseModel,
  ClusterBaseModel,
  FineTunedWeight,
  ServingRuntime,
  ClusterServingRuntime,
  Deployment,
  LeaderWorkerSet,
  KnativeService,
  HorizontalPodAutoscaler,
  Pod,
  ConfigMap,
  Service,
  GatewayClass,
  ...podReads,
  ...entryKinds,
] as const satisfies readonly Kind[];
type ServiceReader = Reader<(typeof serviceReads)[number]>;

export function observeService(service: InferenceService, reader: ServiceReader, options: OmeOptions): ObservedService {
  const { namespace } = service.metadata;
  const model = observeModel(service, reader, options);
  const runtimes = observeRuntimes(namespace, reader);
  const configuration = observeConfiguration(reader, options);
  const installedApis = observeInstalledApis(service, reader, { runtimes, configuration });
  const { hasGroups, hasKeda } = installedApisOf({ installedApis });
  const nameOf = (component: ComponentName) => objectNameOf(service, component);
  const get = <O extends KubeObject, S>(kind: Kind<O>, name: string, read: (object: O) => S): Fact<S> =>
    mapFact((reader as Reader).get(kind, { namespace, name }), read);
  const weights = observeWeights(service, reader, options);
  const pods = eachComponent((one) => observePods(service, one, reader));
  return {
    model,
    ...(weights.length === 0 ? {} : { weights }),
    runtimes,
    deployments: eachComponent((one) => get(Deployment, nameOf(one), observedDeployment)),
    pods,
    installedApis,
    configuration,
    entry: observeEntry(service, reader, { configuration, options }),
    ...(hasGroups
      ? { groups: eachComponent((one) => get(LeaderWorkerSet, groupNameOf(nameOf(one)), observedGroup)) }
      : {}),
    ...(installedApis.knative !== undefined
      ? { revisions: eachComponent((one) => get(KnativeService, nameOf(one), observedRevision)) }
      : {}),
    ...(hasKeda
      ? { autoscalers: eachComponent((one) => get(HorizontalPodAutoscaler, nameOf(one), ownedBy(service))) }
      : {}),
    ...(hasServed(service, { pods }) ? {} : observeMemory(reader, model)),
    ...observePromptCache(service, reader),
    ...observeCanaries(service, (one) => get(Deployment, `${nameOf(one)}-canary`, observedDeployment)),
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
  const nodes = reader.list(Node, {});
  const nodeBytes = largestNodeMemory(nodes);
  const gpus = summarizeGpus(nodes);
  return { ...(nodeBytes === undefined ? {} : { nodeBytes }), ...(gpus.length === 0 ? {} : { gpus }) };
}

function observePromptCache(
  { metadata }: InferenceService,
  reader: ServiceReader,
): Pick<ObservedService, "promptCache"> {
  const { promptCache } = parseServingAnnotations(metadata.annotations);
  if (promptCache?.is !== "shared") return {};
  const found = reader.get(Service, { namespace: metadata.namespace, name: promptCache.service });
  return { promptCache: mapFact(found, () => true) };
}

function observeCanaries(
  { spec }: InferenceService,
  of: (component: ComponentName) => Fact<ObservedWorkload>,
): Pick<ObservedService, "canaries"> {
  const tried = componentNames.filter((name) => spec[name]?.canaryTrafficPercent !== undefined);
  return tried.length === 0 ? {} : { canaries: Object.fromEntries(tried.map((name) => [name, of(name)])) };
}

const eachComponent = <T>(of: (component: ComponentName) => T): Record<ComponentName, T> =>
  Object.fromEntries(componentNames.map((name) => [name, of(name)])) as Record<ComponentName, T>;

function observeRuntimes(namespace: string | undefined, reader: ServiceReader): Candidate[] {
  const own = reader.list(ServingRuntime, { namespace });
  const shared = reader.list(ClusterServingRuntime, {});
  return [
    ...own.map(({ metadata, spec }): Candidate => ({ name: metadata.name ?? "", scope: "namespace", spec })),
    ...shared.map(({ metadata, spec }): Candidate => ({ name: metadata.name ?? "", scope: "cluster", spec })),
  ];
}

function observePods({ metadata }: InferenceService, component: ComponentName, reader: ServiceReader): ObservedPod[] {
  const labels = { [serviceLabel]: labelValueOf(metadata.name ?? ""), [componentLabel]: component };
  return reader
    .list(Pod, { namespace: metadata.namespace, labels })
    .map((pod) => observePod(pod, templateAnnotation, reader))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}
