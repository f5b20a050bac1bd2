import { builtInRows, type KubeObject } from "@trivium/kube";
import type { Resource } from "../resource.ts";
import { clusterRole, clusterRoleBinding, role, roleBinding } from "./access/roles.ts";
import { controllerRevision, daemonSet, deployment, replicaSet, statefulSet } from "./apps/workloads.ts";
import { assembleResource } from "./assemble.ts";
import { horizontalPodAutoscaler, horizontalPodAutoscalerV1, podDisruptionBudget } from "./autoscaling/scaling.ts";
import { cronJob, job } from "./batch/jobs.ts";
import { configMap, secret, serviceAccount } from "./core/config.ts";
import { event, eventOfEventsGroup } from "./core/events/event.ts";
import { limitRange, namespace, resourceQuota } from "./core/namespace.ts";
import { node } from "./core/node.ts";
import { pod } from "./core/pods/pod.ts";
import { podTemplate, replicationController } from "./core/pods/template.ts";
import { endpoints } from "./core/services/endpoints.ts";
import { service } from "./core/services/service.ts";
import { persistentVolume, persistentVolumeClaim } from "./core/storage/storage.ts";
import { customResourceDefinition } from "./extension/custom-resource-definition.ts";
import { mutatingWebhookConfiguration, validatingWebhookConfiguration } from "./extension/webhooks.ts";
import { withLoopback } from "./loopback.ts";
import { endpointSlice, ingress, ingressClass, networkPolicy } from "./networking/routes.ts";
import * as scheduling from "./scheduling/scheduling.ts";
import { storageClass } from "./storage/storage-class.ts";
import type { Traits } from "./traits.ts";

/** What each kind has of its own, by group and kind. A row of the real server without an entry here is not served. */
const kinds: Readonly<Record<string, Traits<KubeObject>>> = {
  "/ConfigMap": configMap,
  "/Endpoints": endpoints,
  "/Event": event,
  "/LimitRange": limitRange,
  "/Namespace": namespace,
  "/Node": node,
  "/PersistentVolume": persistentVolume,
  "/PersistentVolumeClaim": persistentVolumeClaim,
  "/Pod": pod,
  "/PodTemplate": podTemplate,
  "/ReplicationController": replicationController,
  "/ResourceQuota": resourceQuota,
  "/Secret": secret,
  "/Service": service,
  "/ServiceAccount": serviceAccount,
  "admissionregistration.k8s.io/MutatingWebhookConfiguration": mutatingWebhookConfiguration,
  "admissionregistration.k8s.io/ValidatingWebhookConfiguration": validatingWebhookConfiguration,
  "apiextensions.k8s.io/CustomResourceDefinition": customResourceDefinition,
  "apps/ControllerRevision": controllerRevision,
  "apps/DaemonSet": daemonSet,
  "apps/Deployment": deployment,
  "apps/ReplicaSet": replicaSet,
  "apps/StatefulSet": statefulSet,
  "autoscaling/HorizontalPodAutoscaler": horizontalPodAutoscaler,
  "batch/CronJob": cronJob,
  "batch/Job": job,
  "coordination.k8s.io/Lease": scheduling.lease,
  "discovery.k8s.io/EndpointSlice": endpointSlice,
  "events.k8s.io/Event": eventOfEventsGroup,
  "networking.k8s.io/Ingress": ingress,
  "networking.k8s.io/IngressClass": ingressClass,
  "networking.k8s.io/NetworkPolicy": networkPolicy,
  "node.k8s.io/RuntimeClass": scheduling.runtimeClass,
  "policy/PodDisruptionBudget": podDisruptionBudget,
  "rbac.authorization.k8s.io/ClusterRole": clusterRole,
  "rbac.authorization.k8s.io/ClusterRoleBinding": clusterRoleBinding,
  "rbac.authorization.k8s.io/Role": role,
  "rbac.authorization.k8s.io/RoleBinding": roleBinding,
  "resource.k8s.io/DeviceClass": scheduling.deviceClass,
  "resource.k8s.io/ResourceClaim": scheduling.resourceClaim,
  "resource.k8s.io/ResourceClaimTemplate": scheduling.resourceClaimTemplate,
  "scheduling.k8s.io/PriorityClass": scheduling.priorityClass,
  "storage.k8s.io/StorageClass": storageClass,
};

/** Versions that differ from the kind's own entry. */
const otherVersions: Readonly<Record<string, Traits<KubeObject>>> = {
  "autoscaling/v1/HorizontalPodAutoscaler": horizontalPodAutoscalerV1,
};

export interface BuiltInOptions {
  /** Whether endpoints may have addresses in 127.0.0.0/8, for pods that are processes of this machine. A real server refuses them. */
  readonly loopbackEndpoints?: "allowed" | "refused";
  /** Whether writers of objects that nothing on one machine acts on get a warning. */
  readonly unenforced?: "warned" | "silent";
}

/** Kinds that are stored and that nothing on one machine acts on. */
const unenforcedNotes: Readonly<Record<string, string>> = {
  NetworkPolicy: "NetworkPolicy is stored and not enforced on one machine: pods share its network",
  RuntimeClass:
    "RuntimeClass is stored and not enforced on one machine: pods run as processes or containers of its own runtime",
  MutatingWebhookConfiguration: "webhooks are stored and not called on one machine",
  ValidatingWebhookConfiguration: "webhooks are stored and not called on one machine",
};

/** Every built-in resource that the server knows, ready to serve. `strategy.prune` decodes: wrong types are a 400 `ApiError`. */
export function builtInResources({ loopbackEndpoints, unenforced }: BuiltInOptions = {}): Resource[] {
  return builtInRows.flatMap((row) => {
    const { group, version, kind } = row;
    const own = otherVersions[`${group}/${version}/${kind}`] ?? kinds[`${group}/${kind}`];
    const isLocal = loopbackEndpoints === "allowed" && (kind === "EndpointSlice" || kind === "Endpoints");
    const local = own !== undefined && isLocal ? withLoopback(own) : own;
    const note = unenforced === "warned" ? unenforcedNotes[kind] : undefined;
    const traits = local !== undefined && note !== undefined ? { ...local, warnings: () => [note] } : local;
    return traits === undefined ? [] : [assembleResource(row, traits)];
  });
}
