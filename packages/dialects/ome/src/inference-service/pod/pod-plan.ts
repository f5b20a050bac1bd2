import type { PodPlan } from "@trivium/domain";
import { type CachedContainer, passPromptCache, type ServingAnnotations, withEnv } from "@trivium/engines";
import { type api, PatchError } from "@trivium/kube";
import { canonicalJson, sha256Hex } from "@trivium/std";
import type { ChosenClass } from "../../accelerators/index.ts";
import type { Configuration } from "../../configuration/index.ts";
import { mainContainer, templateAnnotation } from "../../names.ts";
import type { RuntimeSpec } from "../../selection/index.ts";
import { AdapterRefusal, dressContainer, dressPod } from "../adapters/index.ts";
import { type LabelSource, objectNameOf, podAnnotationsOf, podLabelsOf } from "../names/labels.ts";
import type { ComponentSpec } from "../roles/component.ts";
import type { ModelMount } from "../weights/model-mount.ts";
import { applyClass, placePod } from "./accelerator/index.ts";
import { mergeRunner } from "./merge.ts";
import { fillPlaceholders, UnknownPlaceholder } from "./placeholders.ts";
import { isLikeLeader, type PodPart, type PodRole, partOf, podFieldsOf, withRole } from "./pod-role.ts";
import { queueLabelsOf } from "./queue-labels.ts";
import { RayRefusal, startRay } from "./ray.ts";
import { withRuntimeVersion } from "./runtime-version.ts";
import { PodStepRefusal, takePodSteps } from "./steps/index.ts";

export interface PodInput extends LabelSource {
  readonly mount: ModelMount;
  readonly template: RuntimeSpec;
  /** Which pod of a group it is; nothing where all are alike. */
  readonly role?: PodRole | undefined;
  /** Whether the group is a Ray cluster. */
  readonly isRay?: boolean;
  /** Whose pods it are: those of Knative have a proxy in front. */
  readonly mode?: string | undefined;
  /** What the administrator decides for all pods. */
  readonly configuration?: Configuration | undefined;
  /** What the service requests by annotations that all dialects share. */
  readonly annotations: ServingAnnotations;
  /** The accelerator class that it runs on, where one was chosen. */
  readonly accelerator?: ChosenClass | undefined;
}

export type PlannedPod =
  | {
      readonly is: "planned";
      readonly pod: PodPlan;
      readonly main: api.Container;
      /** Annotations without effect, each with the reason. */
      readonly ignored: readonly string[];
    }
  | { readonly is: "faulty"; readonly why: string };

/** The pod of a component, from all that runtime, service and model say. The same input gives the same bytes. */
export function planPod(input: PodInput): PlannedPod {
  const { service, component, spec, role } = input;
  const part = partOf(spec, role);
  try {
    const mainName = part.runner?.name ?? mainNameOf(part.containers ?? []);
    const merged =
      part.runner === undefined ? (part.containers ?? []) : mergeRunner(part.containers ?? [], part.runner);
    const at = merged.findIndex(({ name }) => name === mainName);
    const found = merged[at];
    if (found === undefined) {
      const whose = role === undefined ? component : `the ${role} of ${component}`;
      const place = `spec.${component}.${role === undefined ? "" : `${role}.`}runner`;
      const why = `${whose} has no container: neither the runtime nor the service defines one; set ${place}, or use a runtime that has one`;
      return { is: "faulty", why };
    }
    const serving = servingContainer(found, input);
    const all = merged.with(at, serving.container).map(withLastLogLine);
    const containers = fillPlaceholders(all, service.metadata);
    const annotations = podAnnotationsOf(input);
    const labels = { ...podLabelsOf(input), ...queueLabelsOf(annotations) };
    const bare: PodPlan = { labels, annotations, spec: podSpec(input, part, containers) };
    const plan = withRole(takePodSteps(bare, { ...input, main: found.name }), role);
    const template = sha256Hex(canonicalJson(plan)).slice(0, 16);
    const pod = { ...plan, annotations: { ...plan.annotations, [templateAnnotation]: template } };
    return { is: "planned", pod, main: containers[at] as api.Container, ignored: serving.ignored };
  } catch (error) {
    if (refusals.some((refusal) => error instanceof refusal))
      return { is: "faulty", why: `spec.${component}: ${(error as Error).message}` };
    throw error;
  }
}

/** What is wrong with what people wrote. */
const refusals = [UnknownPlaceholder, PatchError, AdapterRefusal, RayRefusal, PodStepRefusal];

/** A pod without a runner serves with the container of the usual name, else with its first. */
const mainNameOf = (containers: readonly api.Container[]): string | undefined =>
  (containers.find(({ name }) => name === mainContainer) ?? containers[0])?.name;

/** The container that serves, with all that it needs for it. */
function servingContainer(found: api.Container, input: PodInput): CachedContainer {
  const { component, spec, service, annotations, role, isRay } = input;
  if (component === "router") return { container: withProbe(routerContainer(found, spec)), ignored: [] };
  const cached = passPromptCache(found, {
    cache: annotations.promptCache,
    namespace: service.metadata.namespace ?? "",
    // Ray starts the engine on its workers with the arguments of the leader.
    isFollower: role === "worker" && isRay === true,
  });
  return { ...cached, container: modelServer(cached.container, input) };
}

function modelServer(found: api.Container, input: PodInput): api.Container {
  const { component, spec, role, mount } = input;
  const chosen = component === "engine" ? withRuntimeVersion(found, input.service) : found;
  const dressed = dressContainer(modelContainer(applyClass(chosen, input), input), mount.adapters, role);
  const started = role !== undefined && input.isRay === true ? startRay(dressed, role) : dressed;
  if (role !== "worker") return withProbe(started);
  // Who follows a leader may listen to nobody else, so what asks the leader whether it is well must not ask them.
  return isLikeLeader(spec) || input.isRay === true ? withoutProbes(started) : started;
}

function withoutProbes(container: api.Container): api.Container {
  const { readinessProbe, livenessProbe, startupProbe, ...rest } = container;
  return rest;
}

/** What a container said last is what people look for when it falls. */
const withLastLogLine = (container: api.Container): api.Container => ({
  ...container,
  terminationMessagePolicy: container.terminationMessagePolicy ?? "FallbackToLogsOnError",
});

function modelContainer(container: api.Container, { spec, mount, model, template }: PodInput): api.Container {
  const gpus = gpusOf(container.resources);
  const size = gpus * (1 + (spec.worker?.size ?? 0));
  const resources = container.resources ?? legacyResources(template, container.name);
  return {
    ...withEnv(container, [
      { name: "MODEL_PATH", value: mount.path },
      { name: "SERVED_MODEL_NAME", value: model.name },
      ...(size > 0 ? [{ name: "PARALLELISM_SIZE", value: String(size) }] : []),
    ]),
    volumeMounts: [
      ...(container.volumeMounts ?? []).filter(({ mountPath }) => mountPath !== mount.mount.mountPath),
      mount.mount,
    ],
    ...(resources === undefined ? {} : { resources }),
  };
}

/** Settings of a router become variables, in the order of their names. */
function routerContainer(container: api.Container, { config = {} }: ComponentSpec): api.Container {
  const names = Object.keys(config).sort();
  if (names.length === 0) return container;
  const kept = (container.env ?? []).filter(({ name }) => !names.includes(name));
  return { ...container, env: [...kept, ...names.map((name) => ({ name, value: config[name] as string }))] };
}

function gpusOf(resources: api.Container["resources"]): number {
  const amount = resources?.limits?.["nvidia.com/gpu"] ?? resources?.requests?.["nvidia.com/gpu"];
  const count = Number(amount ?? 0);
  return Number.isInteger(count) ? count : 0;
}

const legacyResources = ({ containers }: RuntimeSpec, name: string): api.Container["resources"] =>
  containers?.find((one) => one.name === name)?.resources;

function withProbe(container: api.Container): api.Container {
  if (container.readinessProbe !== undefined) return container;
  const port = container.ports?.[0]?.containerPort ?? 8080;
  const readinessProbe = {
    tcpSocket: { port },
    periodSeconds: 10,
    timeoutSeconds: 1,
    successThreshold: 1,
    failureThreshold: 3,
  };
  return { ...container, readinessProbe };
}

function podSpec(input: PodInput, part: PodPart, containers: api.Container[]): api.PodSpec {
  const { service, component, mount, template } = input;
  const pod = podFieldsOf(part);
  if (component === "router") {
    const serviceAccountName = pod.serviceAccountName || objectNameOf(service, component);
    return { ...pod, serviceAccountName, containers };
  }
  const volumes = (pod.volumes ?? []).filter(({ name }) => name !== mount.volume.name);
  const whole = {
    ...pod,
    containers,
    volumes: [...volumes, mount.volume],
    nodeSelector: { ...mount.nodes, ...template.nodeSelector, ...pod.nodeSelector },
  };
  const placed = { ...whole, ...placePod(whole, input) };
  return dressPod(placed, mount.adapters);
}
