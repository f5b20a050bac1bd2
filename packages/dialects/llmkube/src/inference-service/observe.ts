import { isBusy, logOnce, logTail, type ModelHeader, modelHeader, type PodSeen, servedModels } from "@trivium/domain";
import { summarizePod } from "@trivium/engines";
import { Deployment, EndpointSlice, type Kind, Node, PersistentVolumeClaim, Pod, PriorityClass } from "@trivium/kube";
import type { Look } from "@trivium/reconcile";
import { type Fact, known } from "@trivium/std";
import { gpuCount, planGpu } from "../hardware/gpu-plan.ts";
import { InferenceService } from "../kinds/inference-service.ts";
import { Model } from "../kinds/model.ts";
import { templateAnnotation } from "../names.ts";
import type { LlmkubeOptions } from "../options.ts";
import { headerUriOf } from "../weights/header-uri.ts";
import { engineOf } from "./engines/index.ts";
import { selectorOf } from "./names.ts";
import { type NodeMemory, nodeMemoryOf } from "./node-memory.ts";
import { priorityClassOf } from "./priority.ts";
import { type QueueEntry, queueEntryOf } from "./queue.ts";
import { planStorage } from "./storage.ts";

export interface ServiceSeen {
  readonly model: Fact<Model>;
  readonly draft?: Fact<Model>;
  readonly deployment: Fact<DeploymentSeen>;
  /** The claim that caches weights; whether it is there. */
  readonly claim?: Fact<{ readonly phase: string }>;
  readonly priority: Fact<number>;
  readonly pods: readonly ServingPodSeen[];
  /** Other services that wait for GPUs; looked at only while this one does. */
  readonly queue: readonly QueueEntry[];
  /** What the weights are, for the sum of what they take. */
  readonly header?: Fact<ModelHeader>;
  /** Where the GPUs that are asked for could be, where nodes tell. */
  readonly nodes: readonly NodeMemory[];
  readonly agent: readonly AgentSeen[];
}

export interface DeploymentSeen {
  readonly uid: string;
  readonly replicas: number;
  readonly selector: Readonly<Record<string, string>>;
  /** Which template it has now. */
  readonly template?: string | undefined;
}

export interface ServingPodSeen extends PodSeen {
  /** What the engine lists; asked of ready pods only. */
  readonly listed?: Fact<readonly string[]>;
  /** Whether it is working on requests; asked only where a rollout would wait for that, and of engines that tell. */
  readonly busy?: Fact<boolean>;
  /** The end of the log of a download that runs. */
  readonly progress?: Fact<string>;
  /** How an engine on GPUs started. */
  readonly startLog?: Fact<string>;
}

/** What a Metal agent says of a service. */
export interface AgentSeen {
  readonly isReady: boolean;
  readonly heartbeat?: string | undefined;
}

export const serviceReads = [
  Model,
  InferenceService,
  Deployment,
  Pod,
  PersistentVolumeClaim,
  PriorityClass,
  Node,
  EndpointSlice,
] as const satisfies readonly Kind[];
type ServiceLook = Look<(typeof serviceReads)[number]>;

export function observeService(service: InferenceService, look: ServiceLook, options: LlmkubeOptions): ServiceSeen {
  const { namespace, name = "" } = service.metadata;
  const model = look.get(Model, { namespace, name: service.spec.modelRef });
  const draftRef = service.spec.speculativeDecoding?.draftModelRef;
  const deployment = look.get(Deployment, { namespace, name });
  const className = priorityClassOf(service);
  const priority = look.get(PriorityClass, { name: className });
  const pods = look
    .list(Pod, { namespace, labels: selectorOf(service) })
    .map((pod) => observePod(service, model, { pod, look }));
  const isWaiting = pods.some(({ unschedulable }) => unschedulable !== undefined);
  const hasGpu = model.is === "known" && gpuCount(planGpu(model.value, service)) > 0;
  const isMetal = model.is === "known" && model.value.spec.hardware?.accelerator === "metal";
  return {
    model: model.is === "known" ? known(bare(model.value)) : model,
    ...(draftRef ? { draft: look.get(Model, { namespace, name: draftRef }) } : {}),
    deployment: deployment.is === "known" ? known(deploymentSeen(deployment.value)) : deployment,
    ...observeClaim(service, model, { look, options }),
    priority: priority.is === "known" ? known(priority.value.value ?? 0) : priority,
    pods,
    ...observeHeader(model, look),
    queue: isWaiting ? look.list(InferenceService, {}).flatMap((one) => queueEntryOf(one) ?? []) : [],
    nodes: hasGpu ? look.list(Node, {}).flatMap((node) => nodeMemoryOf(node) ?? []) : [],
    agent: isMetal ? observeAgent(service, look) : [],
  };
}

function observeHeader(model: Fact<Model>, look: ServiceLook): Pick<ServiceSeen, "header"> {
  const uri = model.is === "known" && model.value.status?.phase === "Ready" ? headerUriOf(model.value) : undefined;
  return uri === undefined ? {} : { header: look.ask(modelHeader, { uri }) };
}

/** What is said of an object matters, not who wrote which part of it. */
function bare(model: Model): Model {
  const { managedFields: _, ...metadata } = model.metadata;
  return { ...model, metadata };
}

const deploymentSeen = ({ metadata, spec }: Deployment): DeploymentSeen => ({
  uid: metadata.uid ?? "",
  replicas: spec?.replicas ?? 1,
  selector: spec?.selector.matchLabels ?? {},
  template: spec?.template.metadata?.annotations?.[templateAnnotation],
});

function observePod(
  service: InferenceService,
  model: Fact<Model>,
  { pod, look }: { pod: Pod; look: ServiceLook },
): ServingPodSeen {
  const seen = summarizePod(pod, templateAnnotation);
  const engine = engineOf(service.spec.runtime);
  const { namespace = "" } = service.metadata;
  const logOf = (container: string, lines: number) => {
    const restarts = seen.containers.find(({ name }) => name === container)?.restarts ?? 0;
    return { namespace, pod: seen.name, container, restarts, lines };
  };
  const fetching = seen.containers.find(
    ({ name, role, state }) => role === "prepares" && state.is === "running" && name.endsWith("model-downloader"),
  );
  if (fetching !== undefined) return { ...seen, progress: look.ask(logTail, logOf(fetching.name, 5)) };
  if (!seen.isReady || seen.isLeaving || seen.address === undefined || engine === undefined) return seen;
  const port = pod.spec?.containers.find(({ name }) => name === engine.container)?.ports?.[0]?.containerPort;
  const hasGpu = model.is === "known" && gpuCount(planGpu(model.value, service)) > 0;
  const url = `http://${seen.address}:${port ?? engine.port}`;
  const { runtime = "llamacpp", rolloutPolicy } = service.spec;
  const isAsked = rolloutPolicy?.waitForIdle === true && enginesThatTell.includes(runtime);
  return {
    ...seen,
    ...(isAsked ? { busy: look.ask(isBusy, { url, engine: runtime }) } : {}),
    ...(engine.listsModels
      ? { listed: look.ask(servedModels, { url: `http://${seen.address}:${port ?? engine.port}` }) }
      : {}),
    ...(hasGpu && engine.container === "llama-server"
      ? { startLog: look.ask(logOnce, logOf(engine.container, 2048)) }
      : {}),
  };
}

/** Those that say how many requests they are working on. */
const enginesThatTell: readonly string[] = ["llamacpp", "vllm", "tgi", "sglang"];

function observeClaim(
  service: InferenceService,
  model: Fact<Model>,
  { look, options }: { look: ServiceLook; options: LlmkubeOptions },
): Pick<ServiceSeen, "claim"> {
  const engine = engineOf(service.spec.runtime);
  if (model.is !== "known" || engine === undefined) return {};
  const storage = planStorage({ service, model: model.value, engine, options });
  if (storage.is !== "planned" || storage.cache === undefined) return {};
  const { cache } = storage;
  const name = cache.is === "ours" ? cache.plan.name : cache.name;
  const claim = look.get(PersistentVolumeClaim, { namespace: service.metadata.namespace, name });
  return { claim: claim.is === "known" ? known({ phase: claim.value.status?.phase ?? "Pending" }) : claim };
}

const agentLabel = "llmkube.ai/inference-service";
const heartbeatAnnotation = "llmkube.ai/agent-heartbeat";

function observeAgent({ metadata }: InferenceService, look: ServiceLook): AgentSeen[] {
  const slices = look.list(EndpointSlice, {
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
