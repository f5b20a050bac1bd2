import type { PodPlan } from "@trivium/domain";
import { resourcesBefore } from "@trivium/engines";
import type { api } from "@trivium/kube";
import { canonicalJson, sha256Hex } from "@trivium/std";
import type { GpuPlan } from "../../hardware/gpu-plan.ts";
import { renderNode } from "../../hardware/gpu-resource.ts";
import type { InferenceService } from "../../kinds/inference-service.ts";
import type { Model } from "../../kinds/model.ts";
import { layersAnnotation, sourceAnnotation, templateAnnotation } from "../../names.ts";
import type { LlmkubeOptions } from "../../options.ts";
import { labelsOf } from "../names/service-names.ts";
import type { LayerPlan } from "../sizing/device-layers.ts";
import type { StoragePlan } from "../weights/storage.ts";
import { withArchitectures } from "./architecture-affinity.ts";
import { resourcesOf } from "./container-resources.ts";
import type { Engine } from "./engines/index.ts";
import { probesOf } from "./probes.ts";

export interface PodInput {
  readonly service: InferenceService;
  readonly model: Model;
  readonly engine: Engine;
  readonly gpu: GpuPlan;
  readonly image: string;
  readonly args: readonly string[];
  /** Variables that annotations cause. */
  readonly env: readonly api.EnvVar[];
  readonly port: number;
  readonly storage: Pick<StoragePlan, "volumes" | "mounts" | "initContainers">;
  readonly priorityClass: string | undefined;
  readonly layers: LayerPlan | undefined;
  readonly options: LlmkubeOptions;
}

export function planPod(input: PodInput): PodPlan {
  const { service, model, options } = input;
  const labels = { ...service.spec.podLabels, ...labelsOf(service) };
  const annotations: Record<string, string> = {
    ...(options.scraping === "annotated" ? scrapeAnnotations(input.port) : {}),
    ...service.spec.podAnnotations,
    ...(service.spec.disruption?.protectAlways === true ? { "karpenter.sh/do-not-disrupt": "true" } : {}),
    ...followedSource(model),
    ...(input.layers === undefined ? {} : { [layersAnnotation]: input.layers.sizedFor }),
  };
  const plan: PodPlan = { labels, annotations, spec: podSpec(input) };
  const template = sha256Hex(canonicalJson(plan)).slice(0, 16);
  return { ...plan, annotations: { ...annotations, [templateAnnotation]: template } };
}

/** Pods that follow their source start anew when it changes; the others never learn of it. */
function followedSource({ spec, status }: Model): Record<string, string> {
  const version = status?.sourceETag ?? status?.sourceContentLength?.toString();
  return spec.refreshPolicy === "OnChange" && version ? { [sourceAnnotation]: version } : {};
}

const scrapeAnnotations = (port: number): Record<string, string> => ({
  "prometheus.io/scrape": "true",
  "prometheus.io/path": "/metrics",
  "prometheus.io/port": String(port),
});

function podSpec(input: PodInput): api.PodSpec {
  const { service, gpu, engine, storage, priorityClass, options } = input;
  const { spec } = service;
  const nodeSelector = {
    ...(spec.resources?.gpuSharing?.mode === "shared" ? options.sharedPool : {}),
    ...spec.nodeSelector,
  };
  const container = engineContainer(input);
  const tolerations = [...(gpu.is === "resource" ? [gpu.toleration] : []), ...(spec.tolerations ?? [])];
  return {
    ...given("initContainers", preparing(storage.initContainers, container)),
    containers: [container],
    ...given("volumes", [...storage.volumes, ...(spec.extraVolumes ?? [])]),
    ...given("tolerations", tolerations),
    ...(Object.keys(nodeSelector).length === 0 ? {} : { nodeSelector }),
    ...affinityOf(input),
    ...given("topologySpreadConstraints", spec.topologySpreadConstraints ?? []),
    ...(spec.runtimeClassName ? { runtimeClassName: spec.runtimeClassName } : {}),
    ...given("imagePullSecrets", spec.imagePullSecrets ?? []),
    ...(priorityClass === undefined ? {} : { priorityClassName: priorityClass }),
    ...(gpu.is === "claims" ? { resourceClaims: [...gpu.claims] } : {}),
    ...(engine.serviceLinks === false ? { enableServiceLinks: false } : {}),
    securityContext: spec.podSecurityContext ?? defaultPodSecurity(gpu, options),
  };
}

/** A quota on CPU or memory refuses a pod if one of its containers requests none. */
const preparing = (containers: readonly api.Container[], { resources }: api.Container): api.Container[] =>
  containers.map((one) => ({ ...one, ...resourcesBefore(resources ?? {}) }));

/** An image of ours may not be built for every processor; a user who names one knows. */
function affinityOf({ service, engine }: PodInput): Pick<api.PodSpec, "affinity"> {
  const { affinity, image } = service.spec;
  if (engine.architectures !== undefined && !image)
    return { affinity: withArchitectures(affinity, engine.architectures) };
  return affinity === undefined ? {} : { affinity };
}

const given = <K extends string, T>(key: K, list: readonly T[]): Partial<Record<K, T[]>> =>
  list.length === 0 ? {} : ({ [key]: [...list] } as Record<K, T[]>);

function defaultPodSecurity(gpu: GpuPlan, { fsGroup, renderGroup }: LlmkubeOptions): api.PodSecurityContext {
  const needsRender = gpu.is === "resource" && gpu.resource === renderNode && renderGroup !== undefined;
  return {
    seccompProfile: { type: "RuntimeDefault" },
    ...(fsGroup === undefined || fsGroup <= 0 ? {} : { fsGroup }),
    ...(needsRender ? { supplementalGroups: [renderGroup] } : {}),
  };
}

function engineContainer(input: PodInput): api.Container {
  const { service, model, engine, gpu, image, args, port, storage } = input;
  const { spec } = service;
  const command = spec.command ?? engine.command;
  const env = [...(engine.env ?? []), ...tokenEnv(service, engine), ...input.env, ...(spec.env ?? [])];
  return {
    name: engine.container,
    image,
    ...(command === undefined ? {} : { command: [...command] }),
    ...(args.length === 0 ? {} : { args: [...args] }),
    ports: [{ name: "http", containerPort: port, protocol: "TCP" }],
    ...given("env", env),
    resources: resourcesOf(service, model, gpu),
    ...probesOf(engine, service),
    ...given("volumeMounts", [...storage.mounts, ...(spec.extraVolumeMounts ?? [])]),
    securityContext: spec.securityContext ?? { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
    terminationMessagePolicy: "FallbackToLogsOnError",
  };
}

function tokenEnv({ spec }: InferenceService, { tokenVariable }: Engine): api.EnvVar[] {
  const configs = [spec.vllmConfig, spec.sglangConfig, spec.tgiConfig, spec.personaPlexConfig];
  const secret = configs.map((config) => config?.hfTokenSecretRef).find((one) => one !== undefined);
  if (secret === undefined || tokenVariable === undefined) return [];
  return [{ name: tokenVariable, valueFrom: { secretKeyRef: secret } }];
}
