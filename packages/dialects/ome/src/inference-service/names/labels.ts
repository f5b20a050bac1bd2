import type { CanaryNames } from "@trivium/engines";
import type { InferenceService } from "../../kinds/inference-service.ts";
import { componentLabel, keepEnd, labelValueOf, modelAnnotation, serviceLabel, serviceNameOf } from "../../names.ts";
import { weightAnnotationsOf, weightLabelsOf } from "../adapters/index.ts";
import type { ObservedModel } from "../observed/model.ts";
import type { ComponentName, ComponentSpec } from "../roles/component.ts";

export interface LabelSource {
  readonly service: InferenceService;
  readonly component: ComponentName;
  readonly spec: ComponentSpec;
  readonly model: ObservedModel;
  readonly runtime: string;
}

type Texts = Record<string, string>;

export const objectNameOf = ({ metadata }: InferenceService, component: ComponentName): string =>
  `${metadata.name}-${component}`;

/** A LeaderWorkerSet names its pods after itself, and Kubernetes labels them with more than that: its name must be short. */
export const groupNameOf = (name: string): string => `lws-${keepEnd(name, 44)}`;

/** By it alone the pods of a component are found; it never changes. */
export const selectorOf = (service: InferenceService, component: ComponentName): Texts => ({
  app: keepEnd(objectNameOf(service, component), 63),
});

/** What tries out a new template; its pods have the other labels of the component too. */
export function canaryNamesOf(service: InferenceService, component: ComponentName): CanaryNames {
  const workload = `${objectNameOf(service, component)}-canary`;
  return { workload, address: serviceNameOf(workload), selector: { app: keepEnd(workload, 63) } };
}

/** Labels of the objects and pods of a component: the service's, the component's, and over both what is known. */
export function labelsOf({ service, component, spec, model, runtime }: LabelSource): Texts {
  const { vendor, category } = model;
  return {
    ...service.metadata.labels,
    ...spec.labels,
    ...selectorOf(service, component),
    [serviceLabel]: labelValueOf(service.metadata.name ?? ""),
    [componentLabel]: component,
    "serving-runtime": labelValueOf(runtime),
    ...weightLabelsOf(model.weights),
    "base-model-name": labelValueOf(model.name),
    "base-model-size": labelValueOf(category ?? "SMALL"),
    "base-model-type": "Serving",
    ...(vendor ? { "base-model-vendor": labelValueOf(vendor) } : {}),
  };
}

/** Who may come in is no concern of pods: one that carried the word would start anew when it changes. */
export const visibilityLabel = "networking.knative.dev/visibility";

/** Of those, the labels of pods. */
export function podLabelsOf(source: LabelSource): Texts {
  const { [visibilityLabel]: _, ...labels } = labelsOf(source);
  return labels;
}

const neverPassedOn = [
  "autoscaling.knative.dev/min-scale",
  "autoscaling.knative.dev/max-scale",
  "internal.ome.io/storage-initializer-sourceuri",
  "kubectl.kubernetes.io/last-applied-configuration",
  "ome.io/deploymentMode",
  "ome.io/deprecation-warning",
];
/** What steers entry and gateway concerns no pod, and a pod that carried it would start anew when it changes. */
const steeringPrefixes = ["trivium.dev/", "ome.io/ingress-"];
/** Neither do autoscalers and Services. */
const steering =
  /^(?:autoscaling\.keda\.sh\/|serving\.knative\.dev\/rollout|ome\.io\/(?:autoscalerClass|metrics|targetUtilizationPercentage|enable-tag-routing|service-type|load-balancer-ip|deploymentMode)$)/;
const podOnly =
  /^(?:k8s\.grafana\.com\/|loki\.grafana\.com\/|prometheus\.io\/|networking\.gke\.io\/|rdma\.ome\.io\/|ome\.io\/inject-)/;

/** What only pods are for, or what the controllers of workloads write themselves. */
const notOfWorkloads =
  /^(?:deployment\.kubernetes\.io\/|autoscaling\.knative\.dev\/|networking\.knative\.dev\/|serving\.knative\.dev\/|trivium\.dev\/)/;

/** What users write for other controllers, on the service or on a component, as far as workloads can carry it. */
export function writtenAnnotationsOf({ metadata }: InferenceService, spec: ComponentSpec): Texts {
  const written = { ...metadata.annotations, ...spec.annotations };
  const isForWorkloads = (key: string): boolean =>
    !neverPassedOn.includes(key) &&
    !steeringPrefixes.some((prefix) => key.startsWith(prefix)) &&
    ![steering, podOnly, notOfWorkloads].some((pattern) => pattern.test(key));
  return Object.fromEntries(Object.entries(written).filter(([key]) => isForWorkloads(key)));
}

/** Annotations of the pods of a component. */
export function podAnnotationsOf({ service, spec, model, runtime }: LabelSource): Texts {
  const own = Object.entries(service.metadata.annotations ?? {}).filter(
    ([key]) => !neverPassedOn.includes(key) && !steeringPrefixes.some((prefix) => key.startsWith(prefix)),
  );
  const { format, vendor } = model;
  const written = { ...Object.fromEntries(own), ...model.decryption, ...spec.annotations };
  return {
    ...Object.fromEntries(Object.entries(written).filter(([key]) => !steering.test(key))),
    [modelAnnotation]: model.name,
    ...(vendor ? { "ome.io/base-model-vendor": vendor } : {}),
    ...(format?.name ? { "ome.io/base-model-format": format.name } : {}),
    ...(format?.version ? { "ome.io/base-model-format-version": format.version } : {}),
    "ome.io/serving-runtime": runtime,
    ...weightAnnotationsOf(model.weights),
  };
}

/** Of those, what Services may carry. */
export const serviceAnnotationsOf = (annotations: Readonly<Texts>): Texts =>
  Object.fromEntries(Object.entries(annotations).filter(([key]) => !podOnly.test(key)));
