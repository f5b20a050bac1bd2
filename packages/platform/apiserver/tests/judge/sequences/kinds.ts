import { clusterWide, namespaced } from "../handle.ts";

/** The built-in kinds that sequences speak of. */
export const maps = namespaced("v1", "configmaps", "ConfigMap");
export const secrets = namespaced("v1", "secrets", "Secret");
export const pods = namespaced("v1", "pods", "Pod");
export const services = namespaced("v1", "services", "Service");
export const accounts = namespaced("v1", "serviceaccounts", "ServiceAccount");
export const claims = namespaced("v1", "persistentvolumeclaims", "PersistentVolumeClaim");
export const namespaces = clusterWide("v1", "namespaces", "Namespace");
export const nodes = clusterWide("v1", "nodes", "Node");
export const deployments = namespaced("apps/v1", "deployments", "Deployment");
export const statefulSets = namespaced("apps/v1", "statefulsets", "StatefulSet");
export const jobs = namespaced("batch/v1", "jobs", "Job");
export const budgets = namespaced("policy/v1", "poddisruptionbudgets", "PodDisruptionBudget");
export const leases = namespaced("coordination.k8s.io/v1", "leases", "Lease");
export const definitionsOf = clusterWide(
  "apiextensions.k8s.io/v1",
  "customresourcedefinitions",
  "CustomResourceDefinition",
);

/** The smallest specs that are taken. */
export const podSpec = { automountServiceAccountToken: false, containers: [{ name: "main", image: "nginx" }] };
export const deploymentSpec = {
  selector: { matchLabels: { app: "a" } },
  template: { metadata: { labels: { app: "a" } }, spec: podSpec },
};
export const serviceSpec = { selector: { app: "a" }, ports: [{ port: 80 }] };
