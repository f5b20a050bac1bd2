import type { InferencePlan, PodPlan, ServicePlan, WorkloadPlan } from "@trivium/domain";
import type { api } from "@trivium/kube";
import { canonicalJson, sha256Hex } from "@trivium/std";
import { labels } from "../../labels.ts";
import { labelValueOf } from "../../names.ts";
import type { AimOptions } from "../../options.ts";
import type { Settings } from "../../runtime-config/settings/merge-settings.ts";
import { propagateLabels } from "../../runtime-config/settings/propagate-labels.ts";
import { firstAccount, unionSecrets } from "../../runtime-config/settings/pull-secrets.ts";
import { templateAnnotation } from "../names/labels.ts";
import { addressNameOf, type Service, workloadNameOf } from "../names/names.ts";
import type { ObservedDeployment, ObservedModel, ObservedTemplate } from "../observed/observed-service.ts";
import type { KVPlan } from "../prompt-cache/kv-cache.ts";
import { defaultUtilization, isScaled, planReplicas, scalerAnnotation } from "../roles/replicas.ts";
import type { Scaling } from "../scaling/plan-scaling.ts";
import * as of from "../selection/template-facts.ts";
import type { CachePlan } from "../weights/cache-plan.ts";
import { folderOf, modelIdOf, sourcesOf } from "../weights/sources.ts";
import { servingEnv } from "./env.ts";
import { mergeResources } from "./resources.ts";

/** Everything that a container needs to serve. */
export interface ServingInput {
  readonly service: Service;
  readonly model: ObservedModel;
  readonly template: ObservedTemplate;
  readonly settings: Settings;
  readonly cache: Extract<CachePlan, { is: "cached" | "temporary" }>;
  readonly kv: KVPlan;
  readonly options: AimOptions;
  /** What answers now, of this very template: labels of nodes that come and go must not start it anew. */
  readonly running?: Pick<ObservedDeployment, "nodes">;
}

export const containerPort = 8000;
const sharedMemory = { name: "dshm", emptyDir: { medium: "Memory", sizeLimit: "8Gi" } };

export function resourcesOf({ service, model, template }: Omit<ServingInput, "cache" | "kv" | "options" | "settings">) {
  const { requests, limits } = template.spec.hardware?.cpu ?? {};
  // A machine without GPUs is asked for by its processors.
  const cpu = {
    ...(requests === undefined ? {} : { requests: { cpu: requests } }),
    ...(limits === undefined ? {} : { limits: { cpu: limits } }),
  };
  return mergeResources({
    gpus: of.gpuCountOf(template),
    gpuResource: of.gpuResourceOf(template),
    layers: [model.spec.resources, cpu, template.spec.resources, service.spec.resources],
  });
}

export function envOf({ service, model, template, settings, kv, options }: Omit<ServingInput, "cache">) {
  const [source] = model.spec.modelSources ?? [];
  return servingEnv({
    cacheRoot: options.cacheRoot,
    profileId: template.spec.profileId,
    config: settings.env,
    metric: of.metricOf(template),
    precision: of.precisionOf(template),
    template: template.spec.env,
    modelId: source?.modelId,
    kvCache: kv.is === "ready" ? kv.env : [],
    profile: template.status?.profile?.env_vars,
    service: service.spec.env,
  });
}

type Container = Pick<api.Container, "env" | "resources" | "volumeMounts" | "args">;
type Pod = Pick<api.PodSpec, "volumes" | "affinity" | "imagePullSecrets" | "serviceAccountName">;

function containerOf(input: ServingInput): Container {
  const { cache, kv } = input;
  const args = baseArguments(input);
  return {
    ...(args.length === 0 ? {} : { args }),
    env: envOf(input),
    resources: resourcesOf(input),
    volumeMounts: [
      { name: sharedMemory.name, mountPath: "/dev/shm" },
      ...cache.mounts,
      ...(kv.is === "ready" ? [kv.mount] : []),
    ],
  };
}

/** AIM's own base image finds weights by its variables; another server that stands in for it is told by arguments. */
function baseArguments({ model, template, options }: ServingInput): string[] {
  const [source] = sourcesOf(template);
  if (model.spec.image !== options.baseImage || source === undefined) return [];
  const id = modelIdOf(source);
  const values: Readonly<Record<string, string>> = {
    "{model}": folderOf(options.cacheRoot, id),
    "{name}": id,
    "{port}": String(containerPort),
  };
  return options.baseArguments.map((word) => values[word] ?? word);
}

export function pullSecretsOf({ service, model, template, settings }: Omit<ServingInput, "cache">) {
  return unionSecrets(
    service.spec.imagePullSecrets,
    template.spec.imagePullSecrets,
    model.spec.imagePullSecrets,
    settings.imagePullSecrets,
  );
}

function podOf(input: ServingInput): Pod {
  const { service, model, template, settings, cache, kv, running } = input;
  const secrets = pullSecretsOf(input);
  const account = firstAccount(
    service.spec.serviceAccountName,
    template.spec.serviceAccountName,
    model.spec.serviceAccountName,
    settings.serviceAccountName,
  );
  const nodes = running === undefined ? template.status?.resolvedNodeAffinity : running.nodes;
  return {
    ...(account === undefined ? {} : { serviceAccountName: account }),
    ...(secrets.length === 0 ? {} : { imagePullSecrets: secrets }),
    ...(nodes === undefined ? {} : { affinity: { nodeAffinity: nodes as api.NodeAffinity } }),
    volumes: [sharedMemory, ...cache.volumes, ...(kv.is === "ready" ? [kv.volume] : [])],
  };
}

type Chosen = Pick<ServingInput, "service" | "model" | "template">;

/** By which everything of a service is found, its route included. */
export function identityLabels({ service, model, template }: Chosen): Record<string, string> {
  const [source] = sourcesOf(template);
  return {
    [labels.template]: labelValueOf(template.name),
    [labels.modelId]: labelValueOf(source === undefined ? model.name : modelIdOf(source)),
    [labels.model]: labelValueOf(model.name),
    [labels.serviceName]: labelValueOf(service.metadata.name ?? ""),
    ...standardLabels,
  };
}

const standardLabels = {
  [labels.name]: "aim-service",
  [labels.component]: "inference-service",
  [labels.managedBy]: "aim-controller",
};

/** What is put on everything that serves. */
export function servingLabels({ settings, ...chosen }: Chosen & Pick<ServingInput, "settings">) {
  const [metric, precision] = [of.metricOf(chosen.template), of.precisionOf(chosen.template)];
  const own = {
    ...identityLabels(chosen),
    ...(metric === undefined ? {} : { [labels.templateMetric]: labelValueOf(metric) }),
    ...(precision === undefined ? {} : { [labels.templatePrecision]: labelValueOf(precision) }),
  };
  const given = chosen.service.metadata.labels;
  return propagateLabels(settings, given, { ...given, ...own });
}

/** What tools keep for themselves on an object says nothing about its children. */
const isPrivate = (key: string): boolean => key.startsWith("kubectl.kubernetes.io/");

function annotationsOf({ metadata }: Service): Record<string, string> {
  return Object.fromEntries(Object.entries(metadata.annotations ?? {}).filter(([key]) => !isPrivate(key)));
}

export function planInference(input: ServingInput): InferencePlan {
  const { service, template, kv, options } = input;
  const name = workloadNameOf(service);
  const { min, max, scaler, metrics } = planReplicas(service);
  const scaled = service.spec.autoScaling === undefined ? {} : collectorAnnotations(addressNameOf(service));
  const use = { resource: "cpu", utilization: defaultUtilization } as const;
  return {
    name,
    labels: servingLabels(input),
    // Who scales and how it is measured a user may say otherwise.
    annotations: {
      ...scaled,
      [scalerAnnotation]: scaler,
      ...annotationsOf(service),
      ...(max === 0 ? { "serving.kserve.io/stop": "true" } : {}),
    },
    server:
      options.runtimeMode === "inline"
        ? { is: "container", image: imageOf(input), port: containerPort }
        : { is: "runtime", name: template.name, format: { name: "aim", version: "1" } },
    container: containerOf(input),
    pod: podOf(input),
    ...(kv.is === "ready" ? { podAnnotations: { [lmCacheAnnotation]: kv.digest } } : {}),
    replicas: { min, max },
    // Bounds alone say nothing of what decides between them, and KEDA refuses to scale by nothing.
    ...(!isScaled({ scaler }) ? {} : { metrics: metrics.length === 0 ? [use] : metrics }),
  };
}

/** By these a collector of measurements is put into a pod, and finds its port. */
const collectorAnnotations = (collector: string): Record<string, string> => ({
  "sidecar.opentelemetry.io/inject": collector,
  "prometheus.kserve.io/port": String(containerPort),
});

const lmCacheAnnotation = "aim.silogen.ai/lmcache-config";

/** The image that the template asked: one that the model names since then is used when it has answered, too. */
const imageOf = ({ model, template }: Pick<ServingInput, "model" | "template">): string =>
  template.status?.discovery?.image ?? model.spec.image;

/** The same pods without KServe: what it would make of the plan above. */
export function planWorkload(
  input: ServingInput,
  scaling: Scaling,
  live: ObservedDeployment | undefined,
): WorkloadPlan {
  const { service, kv } = input;
  const { min, max } = planReplicas(service);
  const selector = { [labels.serviceName]: labelValueOf(service.metadata.name ?? "") };
  const container: api.Container = {
    name: "kserve-container",
    image: imageOf(input),
    ...containerOf(input),
    ports: [{ name: "http", containerPort, protocol: "TCP" }],
    readinessProbe: { httpGet: { path: "/health", port: "http" }, periodSeconds: 5, failureThreshold: 3 },
    // Weights of hundreds of gigabytes take their time.
    startupProbe: { httpGet: { path: "/health", port: "http" }, periodSeconds: 5, failureThreshold: 2160 },
    terminationMessagePolicy: "FallbackToLogsOnError",
  };
  const pod: PodPlan = {
    labels: servingLabels(input),
    annotations: {
      ...(kv.is === "ready" ? { [lmCacheAnnotation]: kv.digest } : {}),
      ...(scaling.is === "keda" && scaling.collector ? collectorAnnotations(scaling.collector.name) : {}),
    },
    spec: { ...podOf(input), containers: [container] },
  };
  const template = sha256Hex(canonicalJson(pod)).slice(0, 16);
  return {
    name: addressNameOf(service),
    labels: servingLabels(input),
    annotations: annotationsOf(service),
    selector,
    pod: { ...pod, annotations: { ...pod.annotations, [templateAnnotation]: template } },
    replicas: Math.min(max, Math.max(min, live?.replicas ?? min)),
    update: of.gpuCountOf(input.template) > 0 ? "replace" : "roll",
  };
}

/** The address has KServe's name and port, so that routes are the same with and without it. */
export function planAddress(input: ServingInput): ServicePlan {
  const { service, template } = input;
  const names = sourcesOf(template).slice(0, 1).map(modelIdOf);
  return {
    name: addressNameOf(service),
    labels: servingLabels(input),
    annotations: { "trivium.dev/models": [...names, service.metadata.name ?? ""].join(",") },
    selector: { [labels.serviceName]: labelValueOf(service.metadata.name ?? "") },
    type: "ClusterIP",
    ports: [{ name: "http", port: 80, target: "http" }],
  };
}
