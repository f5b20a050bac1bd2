import type { ObservedPod } from "@trivium/domain";
import { largestNodeMemory, observePod, podReads } from "@trivium/engines";
import {
  ConfigMap,
  controllerOf,
  Deployment,
  findCondition,
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
import { absent, type Fact, known } from "@trivium/std";
import { type Configuration, observeConfiguration } from "../configuration/index.ts";
import { BaseModel, ClusterBaseModel } from "../kinds/base-model.ts";
import { FineTunedWeight } from "../kinds/fine-tuned-weight.ts";
import type { InferenceService } from "../kinds/inference-service.ts";
import { ClusterServingRuntime, ServingRuntime } from "../kinds/serving-runtime.ts";
import { weightBytesOf } from "../model/discovery/discovered.ts";
import { componentLabel, labelValueOf, serviceLabel, templateAnnotation } from "../names.ts";
import type { OmeOptions } from "../options.ts";
import type { Candidate, ModelTraits } from "../selection/index.ts";
import { type ModelPlace, placeOf } from "../storage/place.ts";
import { type NamedWeight, observeWeights, type ServedWeights } from "./adapters/index.ts";
import { groupNameOf, objectNameOf } from "./names/labels.ts";
import { installedApisOf, type ObservedInstalledApis, observeInstalledApis } from "./observed/installed-apis.ts";
import {
  type ObservedRevision,
  type ObservedWorkload,
  observedDeployment,
  observedGroup,
  observedRevision,
} from "./observed/workload.ts";
import { type ComponentName, componentNames } from "./roles/component.ts";
import { hasServed } from "./sizing/host-fit.ts";
import { entryKinds, type ObservedEntry, observeEntry } from "./traffic/index.ts";

/** What of a model matters to a service of it. */
export interface ObservedModel {
  readonly name: string;
  readonly scope: "namespace" | "cluster";
  readonly place: ModelPlace;
  readonly traits: ModelTraits;
  readonly format?: { readonly name: string; readonly version?: string | undefined } | undefined;
  readonly vendor?: string | undefined;
  readonly category?: string | undefined;
  readonly isDisabled: boolean;
  readonly state?: string | undefined;
  readonly nodesReady: readonly string[];
  readonly nodesFailed: readonly string[];
  /** Why it is not ready, in its own words. */
  readonly why?: string | undefined;
  readonly storage: ModelStorage;
  /** Size of the weights, where files or a download say so. */
  readonly weightBytes?: number | undefined;
  /** What is served on top of it or instead of it; resolved, not seen. */
  readonly weights?: ServedWeights | undefined;
  /** Which keys decrypt it; its pods are told by annotations. */
  readonly decryption?: Readonly<Record<string, string>> | undefined;
}

/** What the listing of the model says of where it comes from; nothing secret. */
export interface ModelStorage {
  readonly storageUri: string;
  /** Name of the Secret, not what is in it. */
  readonly storageKey?: string | undefined;
  readonly schemaPath?: string | undefined;
  readonly modelType?: string | undefined;
}

export interface ObservedService {
  readonly model: Fact<ObservedModel>;
  /** The tuned weights that it names. */
  readonly weights?: readonly NamedWeight[];
  readonly runtimes: readonly Candidate[];
  readonly deployments: EachComponent<Fact<ObservedWorkload>>;
  readonly pods: EachComponent<readonly ObservedPod[]>;
  readonly installedApis?: ObservedInstalledApis;
  /** What the administrator decides for all services. */
  readonly configuration?: Fact<Configuration>;
  readonly entry?: ObservedEntry;
  /** Only where the API serves them. */
  readonly groups?: EachComponent<Fact<ObservedWorkload>>;
  /** Only where somebody may sleep. */
  readonly revisions?: EachComponent<Fact<ObservedRevision>>;
  /** Only where KEDA takes over from them. */
  readonly autoscalers?: EachComponent<Fact<{ readonly isOurs: boolean }>>;
  /** Memory of the largest node; only before an engine of weights of known size has served. */
  readonly nodeBytes?: number;
  /** Only of components that try out what is new. */
  readonly canaries?: Partial<EachComponent<Fact<ObservedWorkload>>>;
}

type EachComponent<T> = Readonly<Record<ComponentName, T>>;

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
    ...(hasServed(service, { pods }) ? {} : observeHost(reader, model)),
    ...observeCanaries(service, (one) => get(Deployment, `${nameOf(one)}-canary`, observedDeployment)),
  };
}

const mapFact = <T, R>(fact: Fact<T>, read: (value: T) => R): Fact<R> =>
  fact.is === "known" ? known(read(fact.value)) : fact;

const ownedBy =
  ({ metadata }: InferenceService) =>
  (object: KubeObject): { readonly isOurs: boolean } => ({ isOurs: controllerOf(object)?.uid === metadata.uid });

function observeHost(reader: ServiceReader, model: Fact<ObservedModel>): Pick<ObservedService, "nodeBytes"> {
  if (model.is !== "known" || model.value.weightBytes === undefined) return {};
  const nodeBytes = largestNodeMemory(reader.list(Node, {}));
  return nodeBytes === undefined ? {} : { nodeBytes };
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

/** One that says BaseModel means that; the other word is also what the schema puts there for people who say nothing. */
function observeModel(
  { metadata, spec }: InferenceService,
  reader: ServiceReader,
  options: OmeOptions,
): Fact<ObservedModel> {
  const name = spec.model?.name;
  if (!name) return absent;
  const twin = spec.model?.kind === "BaseModel" ? [BaseModel] : [BaseModel, ClusterBaseModel];
  const found = reader.nearest(twin, { namespace: metadata.namespace, name });
  return found.is === "known" ? known(observedModel(found.value, options)) : found;
}

function observedModel(model: BaseModel, options: OmeOptions): ObservedModel {
  const { metadata, spec, status } = model;
  const weightBytes = weightBytesOf(model);
  const { modelFormat, modelFramework, modelArchitecture, quantization, modelParameterSize, diffusionPipeline } = spec;
  const traits = {
    modelFormat,
    modelFramework,
    modelArchitecture,
    quantization,
    modelParameterSize,
    diffusionPipeline,
  };
  return {
    name: metadata.name ?? "",
    scope: metadata.namespace === undefined ? "cluster" : "namespace",
    place: placeOf(model, options),
    traits: Object.fromEntries(Object.entries(traits).filter(([, value]) => value !== undefined)),
    ...(modelFormat === undefined ? {} : { format: { name: modelFormat.name, version: modelFormat.version } }),
    vendor: spec.vendor,
    category: metadata.annotations?.["models.ome.io/category"],
    isDisabled: spec.disabled === true,
    state: status?.state,
    nodesReady: status?.nodesReady ?? [],
    nodesFailed: status?.nodesFailed ?? [],
    ...whyUnready(status),
    storage: {
      storageUri: spec.storage.storageUri,
      ...(spec.storage.key ? { storageKey: spec.storage.key } : {}),
      schemaPath: spec.storage.schemaPath,
      modelType: spec.modelType,
    },
    ...decryptionOf(model),
    ...(weightBytes === undefined ? {} : { weightBytes }),
  };
}

const decryptionKeys = ["ome.io/base-model-decryption-key-name", "ome.io/base-model-decryption-secret-name"];

function decryptionOf({ metadata }: BaseModel): Pick<ObservedModel, "decryption"> {
  const found = Object.entries(metadata.annotations ?? {}).filter(([key]) => decryptionKeys.includes(key));
  return found.length === 0 ? {} : { decryption: Object.fromEntries(found) };
}

/** Its own sentence for not being ready. */
function whyUnready(status: BaseModel["status"]): { readonly why?: string } {
  const ready = findCondition(status?.conditions, "Ready");
  return ready === undefined || ready.status === "True" ? {} : { why: ready.message };
}

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
