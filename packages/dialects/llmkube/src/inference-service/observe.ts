import { type BrokenFile, isServed, type ModelHeader, modelHeader, repositoryFiles } from "@trivium/domain";
import {
  countAsRendered,
  type GpuNode,
  largestNodeMemory,
  nodeHardware,
  type ObservedSharedCache,
  observeSharedCache,
  parseCacheBudget,
  parseGpuNode,
  sizeOfClaim,
} from "@trivium/engines";
import {
  Deployment,
  EndpointSlice,
  type Kind,
  Namespace,
  Node,
  PersistentVolumeClaim,
  Pod,
  PriorityClass,
} from "@trivium/kube";
import { type Part, type Reader, type Tolerated, tolerate } from "@trivium/reconcile";
import { type Fact, formatHubUri, known, once } from "@trivium/std";
import { listObjects, type RequestedObject } from "../adapters/adapter-objects.ts";
import { covers, listScopes } from "../gpu-quota/scope/quota-scope.ts";
import { gpuCount, planGpu } from "../hardware/gpu-plan.ts";
import { GPUQuota } from "../kinds/gpu-quota.ts";
import type { InferenceService } from "../kinds/inference-service.ts";
import { LoRAAdapter } from "../kinds/lora-adapter.ts";
import { Model } from "../kinds/model.ts";
import type { LlmkubeOptions } from "../options.ts";
import { headerPlaceOf } from "../weights/header-place.ts";
import type { ListingFact } from "../weights/repository-choice.ts";
import { sourceOf } from "../weights/source.ts";
import { selectorOf } from "./names/service-names.ts";
import { type ObservedDeployment, observeDeployment } from "./observed/deployment.ts";
import { type ObservedRouting, observeRouting, routingReads } from "./observed/routing.ts";
import { type ObservedServingPod, observePod } from "./observed/serving-pod.ts";
import { engineOf } from "./pod/engines/index.ts";
import { priorityClassOf } from "./pod/priority.ts";
import { gatewayKind } from "./traffic/installed-apis.ts";
import { draftRefOf } from "./weights/draft-model.ts";
import { cacheClaimOf, claimNameOf, stagedFilesOf } from "./weights/storage.ts";

export interface ObservedService extends ObservedSharedCache {
  readonly model: Fact<Model>;
  readonly draft?: Fact<Model>;
  readonly deployment: Fact<ObservedDeployment>;
  /** The claim that caches weights; whether it is there. */
  readonly claim?: Fact<ObservedCacheClaim>;
  /** A budget limits the shared cache, so that its space must be granted. */
  readonly hasCacheBudget?: true;
  /** GPUQuotas limit the services of the namespace, so that its GPUs must be granted. */
  readonly isLimited?: true;
  /** Whether that is so is not known yet. */
  readonly namespace?: Fact<never>;
  readonly priority: Fact<number>;
  readonly pods: readonly ObservedServingPod[];
  /** What a repository has of which a file is to be chosen. */
  readonly listing?: { readonly tolerated: ListingFact };
  /** What the weights are, for the sum of what they take. */
  readonly header?: Tolerated<ModelHeader | BrokenFile>;
  /** Where the GPUs that are asked for could be, where nodes tell. */
  readonly nodes: readonly GpuNode[];
  /** The memory of the largest node, for services on processors. */
  readonly hostBytes?: number;
  /** Whether Envoy AI Gateway is there; asked only where its routes are wished for. */
  readonly gateway?: Tolerated<boolean>;
  readonly agent: readonly ObservedAgent[];
  /** What LoRAAdapters request of it; only where one does. */
  readonly adapters?: readonly RequestedObject[];
  /** The route, where a Gateway is named for it. */
  readonly routing?: ObservedRouting;
}

export interface ObservedCacheClaim {
  readonly phase: string;
  readonly name: string;
  /** What it has, else what it requests. */
  readonly size?: string;
}

/** What a Metal agent says of a service. */
export interface ObservedAgent {
  readonly isReady: boolean;
  readonly heartbeat?: string | undefined;
}

export const serviceReads = [
  Model,
  LoRAAdapter,
  GPUQuota,
  ...routingReads,
  PriorityClass,
  EndpointSlice,
  Namespace,
] as const satisfies readonly Kind[];
type ServiceReader = Reader<(typeof serviceReads)[number]>;

export function observeService(
  service: InferenceService,
  reader: ServiceReader,
  options: LlmkubeOptions,
): ObservedService {
  const { namespace, name = "" } = service.metadata;
  const found = reader.get(Model, { namespace, name: service.spec.modelRef });
  const model = found.is === "known" ? known(bare(found.value)) : found;
  const draft = draftRefOf(service);
  const deployment = observeDeployment(service, reader.get(Deployment, { namespace, name }));
  const live = deployment.is === "known" ? deployment.value : undefined;
  const className = priorityClassOf(service);
  const priority = reader.get(PriorityClass, { name: className });
  const gpu = model.is === "known" ? planGpu(model.value, service, options.gpuResources) : undefined;
  const hasGpu = gpu !== undefined && gpuCount(gpu) > 0;
  const pods = reader
    .list(Pod, { namespace, labels: selectorOf(service) })
    .map((pod) => countAsRendered(observePod(service, { pod, hasGpu, reader }), live));
  const isMetal = model.is === "known" && model.value.spec.hardware?.accelerator === "metal";
  return {
    model,
    ...(draft === undefined ? {} : { draft: reader.get(Model, { namespace, name: draft.name }) }),
    deployment,
    ...observeClaim(service, model, { reader, options }),
    ...observeCacheBudget(service, { reader, options }),
    ...observeQuota(service, reader),
    priority: priority.is === "known" ? known(priority.value.value ?? 0) : priority,
    pods,
    ...observeHeader(model, reader),
    ...observeListing(service, model, reader),
    ...(model.is === "known" && !hasGpu && !isMetal ? observeHost(reader) : {}),
    nodes: hasGpu ? reader.listParts(Node, {}, nodeHardware).flatMap((node) => parseGpuNode(node) ?? []) : [],
    ...(service.spec.endpoint?.gateway?.enabled === true
      ? { gateway: tolerate(reader.ask(isServed, gatewayKind)) }
      : {}),
    agent: isMetal ? observeAgent(service, reader) : [],
    ...observeAdapters(service, reader),
    ...observeRouting(service, reader, options),
    ...observeSharedCache(service, reader),
  };
}

function observeAdapters({ metadata }: InferenceService, reader: ServiceReader): Pick<ObservedService, "adapters"> {
  const adapters = listObjects({ namespace: metadata.namespace, name: metadata.name ?? "" }, reader);
  return adapters.length === 0 ? {} : { adapters };
}

/** Only the shared cache has a budget. */
function observeCacheBudget(
  { metadata }: InferenceService,
  { reader, options }: { reader: ServiceReader; options: LlmkubeOptions },
): Pick<ObservedService, "hasCacheBudget" | "namespace"> {
  if (options.cache.mode !== "shared") return {};
  const namespace = reader.get(Namespace, { name: metadata.namespace ?? "" });
  if (namespace.is === "pending" || namespace.is === "unreachable") return { namespace };
  const { annotations } = namespace.is === "known" ? namespace.value.metadata : {};
  return parseCacheBudget(annotations, options.cache.budget).bytes === undefined ? {} : { hasCacheBudget: true };
}

/** A namespace is read only where its labels matter. */
function observeQuota(
  { metadata: { namespace = "" } }: InferenceService,
  reader: ServiceReader,
): Pick<ObservedService, "isLimited" | "namespace"> {
  const scopes = listScopes(reader);
  if (scopes.length === 0) return {};
  const isNamed = scopes.some((scope) => scope.selector === undefined && covers(scope, namespace, undefined));
  if (isNamed) return { isLimited: true };
  if (scopes.every(({ selector }) => selector === undefined)) return {};
  const found = reader.getPart(Namespace, { name: namespace }, labelsPart);
  if (found.is === "pending" || found.is === "unreachable") return { namespace: found };
  const labels = found.is === "known" ? found.value : undefined;
  return scopes.some((scope) => covers(scope, namespace, labels)) ? { isLimited: true } : {};
}

const labelsPart: Part<Namespace, Readonly<Record<string, string>>> = {
  name: "labels of the namespace",
  of: ({ metadata }) => metadata.labels ?? {},
};

function observeHost(reader: ServiceReader): Pick<ObservedService, "hostBytes"> {
  const hostBytes = largestNodeMemory(reader.listParts(Node, {}, nodeHardware));
  return hostBytes === undefined ? {} : { hostBytes };
}

function observeHeader(model: Fact<Model>, reader: ServiceReader): Pick<ObservedService, "header"> {
  const phase = model.is === "known" ? model.value.status?.phase : undefined;
  if (model.is !== "known" || (phase !== "Ready" && phase !== "Downloading")) return {};
  const place = headerPlaceOf(model.value, model.value.status?.sourceETag ?? undefined, stagedFilesOf(model.value));
  return place === undefined ? {} : { header: tolerate(reader.ask(modelHeader, place)) };
}

/** Asked only where the engine needs one file and the Model has none. */
function observeListing(
  { spec }: InferenceService,
  model: Fact<Model>,
  reader: ServiceReader,
): Pick<ObservedService, "listing"> {
  if (model.is !== "known" || engineOf(spec.runtime)?.takes !== "file" || spec.skipModelInit === true) return {};
  const source = sourceOf(model.value.spec);
  if (source.is !== "repository" || stagedFilesOf(model.value).is !== "none") return {};
  return {
    listing: tolerate(
      reader.ask(repositoryFiles, { uri: formatHubUri({ repo: source.repository, revision: source.revision }) }),
    ),
  };
}

/** What is said of an object matters, not who wrote which part of it. */
const bare: (model: Model) => Model = once((model) => {
  const { managedFields: _, ...metadata } = model.metadata;
  return { ...model, metadata };
});

function observeClaim(
  service: InferenceService,
  model: Fact<Model>,
  { reader, options }: { reader: ServiceReader; options: LlmkubeOptions },
): Pick<ObservedService, "claim"> {
  const engine = engineOf(service.spec.runtime);
  if (model.is !== "known" || engine === undefined) return {};
  const cache = cacheClaimOf({ service, model: model.value, engine, options });
  if (cache === undefined) return {};
  const name = claimNameOf(cache);
  const claim = reader.get(PersistentVolumeClaim, { namespace: service.metadata.namespace, name });
  if (claim.is !== "known") return { claim };
  const size = sizeOfClaim(claim.value);
  const phase = claim.value.status?.phase ?? "Pending";
  return { claim: known({ phase, name, ...(size === undefined ? {} : { size }) }) };
}

const agentLabel = "llmkube.ai/inference-service";
const heartbeatAnnotation = "llmkube.ai/agent-heartbeat";

function observeAgent({ metadata }: InferenceService, reader: ServiceReader): ObservedAgent[] {
  const slices = reader.list(EndpointSlice, {
    namespace: metadata.namespace,
    labels: { [agentLabel]: metadata.name ?? "" },
  });
  return slices.map((slice) => ({
    isReady: (slice.endpoints ?? []).some(
      ({ conditions, addresses }) => conditions?.ready !== false && addresses.length > 0,
    ),
    heartbeat: slice.metadata.annotations?.[heartbeatAnnotation],
  }));
}
