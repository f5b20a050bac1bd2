export * from "./access.ts";
export * from "./apps.ts";
export * from "./autoscaling.ts";
export * from "./batch.ts";
export {
  ConfigMap,
  type Container,
  type ContainerStatus,
  Endpoints,
  type EnvVar,
  Event,
  EventEventsV1,
  LimitRange,
  Namespace,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  type PodSpec,
  PodTemplate,
  type PodTemplateSpec,
  ReplicationController,
  ResourceQuota,
  Secret,
  Service,
  ServiceAccount,
  type ServicePort,
  type Taint,
  type Toleration,
  type TopologySpreadConstraint,
} from "./core.ts";
export * from "./extension.ts";
export { Gateway, GatewayClass, gatewayApiCrds, HTTPRoute, ReferenceGrant } from "./gateway-api.ts";
export * from "./istio.ts";
export { ScaledObject } from "./keda.ts";
export * from "./knative.ts";
export * from "./kserve.ts";
export * from "./lws.ts";
export { OpenTelemetryCollector } from "./monitoring.ts";
export * from "./networking.ts";
export * from "./scheduling.ts";
export * from "./storage.ts";
