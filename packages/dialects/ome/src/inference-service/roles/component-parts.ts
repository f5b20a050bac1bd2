import type { PodAccess, ReplicaBounds, RoleScaling, ServicePlan, WeightedBackend } from "@trivium/domain";
import { type ObservedCanary, type ServingAnnotations, servingAnnotations } from "@trivium/engines";
import type { api } from "@trivium/kube";
import type { ChosenClass } from "../../accelerators/index.ts";
import type { Configuration } from "../../configuration/index.ts";
import type { InferenceService } from "../../kinds/inference-service.ts";
import { runtimeAnnotation, runtimeScopeAnnotation, selectedClassAnnotation, serviceNameOf } from "../../names.ts";
import type { Candidate } from "../../selection/index.ts";
import {
  labelsOf,
  objectNameOf,
  podAnnotationsOf,
  selectorOf,
  serviceAnnotationsOf,
  writtenAnnotationsOf,
} from "../names/labels.ts";
import type { ObservedModel } from "../observed/model.ts";
import type { ObservedRevision, ObservedWorkload } from "../observed/workload.ts";
import type { PodInput } from "../pod/pod-plan.ts";
import { queueLabelsOf } from "../pod/queue-labels.ts";
import type { ModelMount } from "../weights/model-mount.ts";
import type { ComponentName, ComponentSpec } from "./component.ts";
import type { ShapedMode } from "./deployment-mode.ts";

/** What components have in common. */
export interface ComponentParts {
  readonly name: ComponentName;
  /** Name of what belongs to it. */
  readonly object: string;
  readonly address: ServicePlan;
  readonly replicas: ReplicaBounds;
  /** Where requests go by weight, while two templates share them; without it all go to the address. */
  readonly backends?: readonly WeightedBackend[];
  /** Who may list pods, for a component that must. */
  readonly access?: PodAccess | undefined;
  /** What of the wish is not carried out. */
  readonly warnings: readonly string[];
  /** Annotations without effect, each with the reason. */
  readonly ignored: readonly string[];
  /** Longest time that a request to it can take. */
  readonly timeoutSeconds?: number | undefined;
  /** Why something new is not tried out with a part of the requests, where it should be. */
  readonly untried?: string | undefined;
}

/** A component as it should be, or what keeps it from being planned. */
export type Planned<P> = { readonly is: "planned"; readonly plan: P } | { readonly is: "faulty"; readonly why: string };

export interface ComponentInput {
  readonly service: InferenceService;
  readonly component: ComponentName;
  /** The component where requests come in. */
  readonly entry: ComponentName;
  readonly mode: ShapedMode;
  readonly spec: ComponentSpec;
  readonly model: ObservedModel;
  readonly mount: ModelMount;
  readonly runtime: Candidate;
  /** The accelerator class that its pods run on. */
  readonly accelerator?: ChosenClass | undefined;
  readonly live: ObservedWorkload | undefined;
  readonly revision: ObservedRevision | undefined;
  readonly canary: ObservedCanary | undefined;
  readonly hasKeda: boolean;
  /** Whether our gateway counts requests. */
  readonly hasGateway: boolean;
  /** Whether an autoscaler is there that we made before KEDA was asked for. */
  readonly hasLeftover: boolean;
  /** What the administrator decides for all services. */
  readonly configuration?: Configuration | undefined;
  /** Whether the way in can share requests by weight. */
  readonly canSplit: boolean;
  /** Where the administrator decides, as `namespace/name`. */
  readonly configMap: string;
  /** What the service requests by annotations that all dialects share. */
  readonly annotations: ServingAnnotations;
}

export const podInputOf = (input: ComponentInput): PodInput => ({
  ...input,
  runtime: input.runtime.name,
  template: input.runtime.spec,
});

/** Labels of all objects of a component. */
export const componentLabelsOf = (input: ComponentInput): Record<string, string> =>
  labelsOf({ ...input, runtime: input.runtime.name });

/** So long a service that may sleep stays awake without requests, where nobody says otherwise. */
const defaultIdle = "10m";
const { idleTimeout, stopped } = servingAnnotations;

/** With which runtime it was made, and how long it stays awake; what KEDA puts to sleep, KEDA wakes. */
export function workloadAnnotationsOf(
  { service, spec, runtime, annotations, accelerator }: ComponentInput,
  scaling: RoleScaling,
): Record<string, string> {
  const written = annotations.idleSeconds === undefined ? undefined : service.metadata.annotations?.[idleTimeout];
  const idle = written ?? (spec.minReplicas === 0 && !isIdledByScaler(scaling) ? defaultIdle : undefined);
  return {
    [runtimeAnnotation]: runtime.name,
    [runtimeScopeAnnotation]: runtime.scope,
    ...(accelerator?.choice === undefined ? {} : { [selectedClassAnnotation]: accelerator.name }),
    ...(idle === undefined ? {} : { [idleTimeout]: idle }),
    ...(annotations.isStopped === true ? { [stopped]: "true" } : {}),
  };
}

const isIdledByScaler = ({ is }: RoleScaling): boolean => is === "keda" || is === "switching" || is === "elsewhere";

/** Of a Deployment or a LeaderWorkerSet: what users write for other controllers, which look for it there and not on pods. */
export const ownedAnnotationsOf = (input: ComponentInput, scaling: RoleScaling): Record<string, string> => ({
  ...writtenAnnotationsOf(input.service, input.spec),
  ...workloadAnnotationsOf(input, scaling),
});

/** Labels of a Deployment or a LeaderWorkerSet: queues admit the whole, not its pods. */
export const workloadLabelsOf = (input: ComponentInput): Record<string, string> => ({
  ...componentLabelsOf(input),
  ...queueLabelsOf(podAnnotationsOf({ ...input, runtime: input.runtime.name })),
});

/** Only Knative holds requests back that are too many for a pod. */
export const concurrencyWarnings = ({ component, spec }: ComponentInput): string[] =>
  spec.containerConcurrency === undefined
    ? []
    : [`containerConcurrency of ${component} is not enforced without Knative; limit the requests in the model server`];

/** The Service of a component. Models are announced by the one with the name of the service, so this one lists none. */
export function planAddress(input: ComponentInput, main: api.Container): ServicePlan {
  const { service, component, spec } = input;
  const annotations = podAnnotationsOf({ ...input, runtime: input.runtime.name });
  return {
    name: serviceNameOf(objectNameOf(service, component)),
    labels: componentLabelsOf(input),
    annotations: { ...serviceAnnotationsOf(annotations), "trivium.dev/models": "" },
    selector: selectorOf(service, component),
    type: serviceTypeOf(service, spec.annotations),
    loadBalancerIP: loadBalancerOf(service, spec.annotations),
    ports: portsOf(main),
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

/** The address that a load balancer is to have, of the component before the service. */
export function loadBalancerOf(
  { metadata }: InferenceService,
  annotations: Readonly<Record<string, string>> | undefined,
): string | undefined {
  const key = "ome.io/load-balancer-ip";
  return annotations?.[key] ?? metadata.annotations?.[key];
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

/** A router finds the pods that it spreads requests over by itself, with whatever account it has. */
export function accessOf({ service, component, spec }: ComponentInput): PodAccess | undefined {
  if (component !== "router") return undefined;
  const name = objectNameOf(service, component);
  return { name, account: spec.serviceAccountName || name, isOurs: !spec.serviceAccountName };
}
