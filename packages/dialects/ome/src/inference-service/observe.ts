import type { PodSeen } from "@trivium/domain";
import { summarizePod } from "@trivium/engines";
import { Deployment, findCondition, type Kind, Pod } from "@trivium/kube";
import type { Look } from "@trivium/reconcile";
import { absent, type Fact, known } from "@trivium/std";
import { BaseModel, ClusterBaseModel } from "../kinds/base-model.ts";
import type { InferenceService } from "../kinds/inference-service.ts";
import { ClusterServingRuntime, ServingRuntime } from "../kinds/serving-runtime.ts";
import {
  componentLabel,
  labelValueOf,
  runtimeAnnotation,
  runtimeScopeAnnotation,
  serviceLabel,
  templateAnnotation,
} from "../names.ts";
import type { OmeOptions } from "../options.ts";
import type { Candidate, ModelTraits, RuntimeName } from "../selection/index.ts";
import { type ModelPlace, placeOf } from "../storage/place.ts";
import { type ComponentName, componentNames } from "./component.ts";
import { objectNameOf } from "./labels.ts";

/** What of a model matters to a service of it. */
export interface ModelSeen {
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
  readonly storage: ModelStorage;
}

/** What the listing of the model says of where it comes from; nothing secret. */
export interface ModelStorage {
  readonly storageUri: string;
  readonly schemaPath?: string | undefined;
  readonly modelType?: string | undefined;
}

export interface DeploymentSeen {
  readonly replicas: number;
  readonly isIdled: boolean;
  readonly revision?: string | undefined;
  readonly available?: { readonly status: string; readonly reason: string; readonly message: string } | undefined;
  readonly runtime?: RuntimeName | undefined;
}

export interface ServiceSeen {
  readonly model: Fact<ModelSeen>;
  readonly runtimes: readonly Candidate[];
  readonly deployments: Readonly<Record<ComponentName, Fact<DeploymentSeen>>>;
  readonly pods: Readonly<Record<ComponentName, readonly PodSeen[]>>;
}

export const serviceReads = [
  BaseModel,
  ClusterBaseModel,
  ServingRuntime,
  ClusterServingRuntime,
  Deployment,
  Pod,
] as const satisfies readonly Kind[];
type ServiceLook = Look<(typeof serviceReads)[number]>;

export function observeService(service: InferenceService, look: ServiceLook, options: OmeOptions): ServiceSeen {
  const { namespace } = service.metadata;
  const model = observeModel(service, look, options);
  return {
    model,
    runtimes: observeRuntimes(namespace, look),
    deployments: eachComponent((component) => observeDeployment(service, component, look)),
    pods: eachComponent((component) => observePods(service, component, look)),
  };
}

const eachComponent = <T>(of: (component: ComponentName) => T): Record<ComponentName, T> =>
  Object.fromEntries(componentNames.map((name) => [name, of(name)])) as Record<ComponentName, T>;

/** One that says BaseModel means that; the other word is also what the schema puts there for people who say nothing. */
function observeModel({ metadata, spec }: InferenceService, look: ServiceLook, options: OmeOptions): Fact<ModelSeen> {
  const name = spec.model?.name;
  if (!name) return absent;
  const twin = spec.model?.kind === "BaseModel" ? [BaseModel] : [BaseModel, ClusterBaseModel];
  const found = look.nearest(twin, { namespace: metadata.namespace, name });
  return found.is === "known" ? known(modelSeen(found.value, options)) : found;
}

function modelSeen(model: BaseModel, options: OmeOptions): ModelSeen {
  const { metadata, spec, status } = model;
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
    storage: {
      storageUri: spec.storage.storageUri,
      schemaPath: spec.storage.schemaPath,
      modelType: spec.modelType,
    },
  };
}

function observeRuntimes(namespace: string | undefined, look: ServiceLook): Candidate[] {
  const own = look.list(ServingRuntime, { namespace });
  const shared = look.list(ClusterServingRuntime, {});
  return [
    ...own.map(({ metadata, spec }): Candidate => ({ name: metadata.name ?? "", scope: "namespace", spec })),
    ...shared.map(({ metadata, spec }): Candidate => ({ name: metadata.name ?? "", scope: "cluster", spec })),
  ];
}

function observeDeployment(
  service: InferenceService,
  component: ComponentName,
  look: ServiceLook,
): Fact<DeploymentSeen> {
  const ref = { namespace: service.metadata.namespace, name: objectNameOf(service, component) };
  const found = look.get(Deployment, ref);
  if (found.is !== "known") return found;
  const { metadata, spec, status } = found.value;
  const { annotations = {} } = metadata;
  const available = findCondition(status?.conditions, "Available");
  const name = annotations[runtimeAnnotation];
  const scope = annotations[runtimeScopeAnnotation] === "cluster" ? "cluster" : "namespace";
  return known({
    replicas: spec?.replicas ?? 1,
    isIdled: annotations["trivium.dev/awake-replicas"] !== undefined,
    revision: annotations["deployment.kubernetes.io/revision"],
    ...(available === undefined
      ? {}
      : {
          available: {
            status: available.status,
            reason: available.reason ?? "",
            message: available.message ?? "",
          },
        }),
    ...(name === undefined ? {} : { runtime: { name, scope } }),
  });
}

function observePods({ metadata }: InferenceService, component: ComponentName, look: ServiceLook): PodSeen[] {
  const labels = { [serviceLabel]: labelValueOf(metadata.name ?? ""), [componentLabel]: component };
  return look
    .list(Pod, { namespace: metadata.namespace, labels })
    .map((pod) => summarizePod(pod, templateAnnotation))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}
