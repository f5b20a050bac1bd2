import type { ScalingPlan, ServicePlan, WorkloadPlan } from "@trivium/domain";
import type { api, PodDisruptionBudget } from "@trivium/kube";
import type { InferenceService } from "../kinds/inference-service.ts";
import { runtimeAnnotation, runtimeScopeAnnotation, serviceNameOf } from "../names.ts";
import type { Candidate } from "../selection/index.ts";
import type { ComponentName, ComponentSpec } from "./component.ts";
import { labelsOf, objectNameOf, podAnnotationsOf, selectorOf, serviceAnnotationsOf } from "./labels.ts";
import type { ModelMount } from "./model-mount.ts";
import type { DeploymentSeen, ModelSeen } from "./observe.ts";
import { planPod } from "./pod-plan.ts";

/** All objects of one component that runs as a Deployment. */
export interface ComponentPlan {
  readonly name: ComponentName;
  readonly workload: WorkloadPlan;
  readonly strategy: api.DeploymentStrategy;
  readonly address: ServicePlan;
  readonly scaling?: ScalingPlan | undefined;
  readonly disruption: NonNullable<PodDisruptionBudget["spec"]>;
  /** The account that a router gets to find pods with; nothing when the user names one. */
  readonly account?: string | undefined;
  /** What the component needs rights for, whoever's the account is. */
  readonly template: string;
}

export interface ComponentQuestion {
  readonly service: InferenceService;
  readonly component: ComponentName;
  readonly spec: ComponentSpec;
  readonly model: ModelSeen;
  readonly mount: ModelMount;
  readonly runtime: Candidate;
  readonly live: DeploymentSeen | undefined;
}

export type PlannedComponent =
  | { readonly is: "planned"; readonly plan: ComponentPlan }
  | { readonly is: "faulty"; readonly why: string };

const usualMost: Readonly<Record<ComponentName, number>> = { engine: 3, decoder: 3, router: 2 };

/** So long a service that may sleep stays awake without requests, where nobody says otherwise. */
const usualIdle = "10m";
const idleAnnotation = "trivium.dev/idle-timeout";

export function planComponent(question: ComponentQuestion): PlannedComponent {
  const { service, component, spec, runtime } = question;
  const source = { ...question, runtime: runtime.name };
  const planned = planPod({ ...source, template: runtime.spec });
  if (planned.is === "faulty") return planned;
  const { pod, main } = planned;
  const name = objectNameOf(service, component);
  const labels = labelsOf(source);
  const selector = selectorOf(service, component);
  const idle = service.metadata.annotations?.[idleAnnotation] ?? (spec.minReplicas === 0 ? usualIdle : undefined);
  const workload: WorkloadPlan = {
    name,
    labels,
    annotations: {
      [runtimeAnnotation]: runtime.name,
      [runtimeScopeAnnotation]: runtime.scope,
      ...(idle === undefined ? {} : { [idleAnnotation]: idle }),
    },
    selector,
    pod,
    replicas: replicasOf(question),
    update: "roll",
    history: 10,
  };
  const address: ServicePlan = {
    name: serviceNameOf(name),
    labels,
    annotations: serviceAnnotationsOf(podAnnotationsOf(source)),
    selector,
    type: serviceTypeOf(service, spec.annotations),
    ports: portsOf(main),
  };
  const scaling = planScaling(question, { name, labels });
  const { minAvailable, maxUnavailable } = spec;
  const disruption = {
    selector: { matchLabels: { ...selector } },
    ...(minAvailable === undefined ? { maxUnavailable: maxUnavailable ?? 1 } : { minAvailable }),
  };
  const account = component === "router" && !spec.serviceAccountName ? name : undefined;
  const strategy = spec.deploymentStrategy ?? {
    type: "RollingUpdate",
    rollingUpdate: { maxUnavailable: 0, maxSurge: 1 },
  };
  const template = pod.annotations["ome.io/template"] ?? "";
  return {
    is: "planned",
    plan: { name: component, workload, strategy, address, scaling, disruption, account, template },
  };
}

const serviceTypes = ["ClusterIP", "NodePort", "LoadBalancer"] as const;

/** As the annotation says, of the component before the service; other words mean the usual one. */
export function serviceTypeOf(
  { metadata }: InferenceService,
  annotations: Readonly<Record<string, string>> | undefined,
): ServicePlan["type"] {
  const key = "ome.io/service-type";
  const written = annotations?.[key] ?? metadata.annotations?.[key];
  return serviceTypes.find((type) => type === written) ?? "ClusterIP";
}

/** Load decides between the bounds; what was put to sleep stays asleep until somebody wakes it. */
function replicasOf({ component, spec, live }: ComponentQuestion): number {
  const { least, most } = boundsOf(component, spec);
  if (live === undefined) return least;
  if (live.replicas === 0 && (live.isIdled || spec.minReplicas === 0)) return 0;
  return Math.min(most, Math.max(least, live.replicas));
}

function boundsOf(component: ComponentName, spec: ComponentSpec): { readonly least: number; readonly most: number } {
  const least = Math.max(1, spec.minReplicas ?? 1);
  return { least, most: Math.max(least, spec.maxReplicas ?? usualMost[component]) };
}

function portsOf(main: api.Container): ServicePlan["ports"] {
  const ports = main.ports ?? [];
  if (ports.length === 0) return [{ name: main.name, port: 8080, target: 8080 }];
  return ports.map(({ name, containerPort }, at) => ({
    name: name ?? (ports.length === 1 ? "http" : `port-${at}`),
    port: containerPort,
    target: containerPort,
  }));
}

/** Which autoscaler a component has; one that somebody else runs is theirs. */
export function autoscalerOf({ service, spec }: Pick<ComponentQuestion, "service" | "spec">): string {
  const key = "ome.io/autoscalerClass";
  return spec.annotations?.[key] ?? service.metadata.annotations?.[key] ?? "hpa";
}

function planScaling(
  question: ComponentQuestion,
  { name, labels }: Pick<WorkloadPlan, "name" | "labels">,
): ScalingPlan | undefined {
  const { service, component, spec } = question;
  const metric = spec.scaleMetric ?? "cpu";
  if (autoscalerOf(question) !== "hpa" || (metric !== "cpu" && metric !== "memory")) return undefined;
  const key = "ome.io/targetUtilizationPercentage";
  const written = Number(spec.annotations?.[key] ?? service.metadata.annotations?.[key]);
  const target = Number.isInteger(written) && written > 0 ? written : (spec.scaleTarget ?? 80);
  const { least, most } = boundsOf(component, spec);
  return {
    name,
    labels,
    target: { apiVersion: "apps/v1", kind: "Deployment", name },
    min: least,
    max: most,
    metrics: [
      {
        type: "Resource",
        resource: { name: metric, target: { type: "Utilization", averageUtilization: target } },
      },
    ],
  };
}
