import type { Settings } from "./chart-values.ts";
import type { Open, Part, Value } from "./value.ts";

/** What every pod of an installation has: nothing that Pod Security level restricted refuses. */
export const restrictedPod = (s: Settings) => ({
  securityContext: {
    runAsNonRoot: true,
    runAsUser: 65_532,
    runAsGroup: 65_532,
    seccompProfile: { type: "RuntimeDefault" },
  },
  imagePullSecrets: s.value("imagePullSecrets"),
});

export const restrictedContainer = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ["ALL"] },
} as const;

export const labelsOf = (component: string) => ({
  "app.kubernetes.io/name": `trivium-${component}`,
  "app.kubernetes.io/component": component,
  "app.kubernetes.io/part-of": "trivium",
});

/** Pods are selected by what they are and which installation they belong to. */
export const selectorOf = (s: Settings, component: string) => ({
  "app.kubernetes.io/name": `trivium-${component}`,
  "app.kubernetes.io/instance": s.name(component),
});

export const metadataOf = (s: Settings, component: string) => ({
  name: s.name(component),
  namespace: s.namespace,
  labels: labelsOf(component),
});

/** Lets others reach one more port of the operator's pods: policies add up. */
export const openPort = (s: Settings, component: string, port: number): Part["object"] => ({
  apiVersion: "networking.k8s.io/v1",
  kind: "NetworkPolicy",
  metadata: metadataOf(s, component),
  spec: {
    podSelector: { matchLabels: selectorOf(s, "operator") },
    policyTypes: ["Ingress"],
    ingress: [{ ports: [{ port, protocol: "TCP" }] }],
  },
});

export const probe = (path: string, port: string, periodSeconds: number): Open => ({
  httpGet: { path, port },
  periodSeconds,
  timeoutSeconds: 5,
});

/** What the Deployments of an installation differ in. */
export interface DeploymentFrame {
  readonly component: "operator" | "gateway";
  /** Left out where an autoscaler decides. */
  readonly replicas: Value;
  /** Seconds that a pod has to finish. */
  readonly grace: number;
  /** The port that serves /healthz and /readyz, and how often readiness is asked for. */
  readonly health: { readonly port: string; readonly period: number };
  /** Further fields of its only container, and of the pod. */
  readonly container: { readonly [key: string]: Open };
  readonly pod?: { readonly [key: string]: Open };
}

/** One container that is allowed nothing, probed at its health port. */
export const deployment = (s: Settings, frame: DeploymentFrame): { [key: string]: Open } => {
  const { component, replicas, grace, health, container, pod = {} } = frame;
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: metadataOf(s, component),
    spec: {
      replicas,
      selector: { matchLabels: selectorOf(s, component) },
      template: {
        metadata: { labels: { ...labelsOf(component), ...selectorOf(s, component) } },
        spec: {
          ...restrictedPod(s),
          serviceAccountName: s.name(component),
          terminationGracePeriodSeconds: grace,
          containers: [
            {
              name: component,
              image: s.image(component),
              imagePullPolicy: s.value("image.pullPolicy"),
              ...container,
              startupProbe: {
                httpGet: { path: "/healthz", port: health.port },
                periodSeconds: 2,
                failureThreshold: 60,
              },
              livenessProbe: probe("/healthz", health.port, 20),
              readinessProbe: probe("/readyz", health.port, health.period),
              resources: s.value(`${component}.resources`),
              securityContext: restrictedContainer,
            },
          ],
          nodeSelector: s.value(`${component}.nodeSelector`),
          tolerations: s.value(`${component}.tolerations`),
          ...pod,
        },
      },
    },
  };
};

/** Only the ports that are served can be reached; where a pod connects to is not restricted: sources of models are anywhere. */
export const networkPolicy = (
  s: Settings,
  component: string,
  ports: readonly string[],
  namespace: Value = s.namespace,
): { [key: string]: Open } => ({
  apiVersion: "networking.k8s.io/v1",
  kind: "NetworkPolicy",
  metadata: { ...metadataOf(s, component), namespace },
  spec: {
    podSelector: { matchLabels: selectorOf(s, component) },
    policyTypes: ["Ingress"],
    ingress: [{ ports: ports.map((port) => ({ port, protocol: "TCP" })) }],
  },
});

/** A drained node takes one pod at a time. */
export const disruptionBudget = (s: Settings, component: string): Part["object"] => ({
  apiVersion: "policy/v1",
  kind: "PodDisruptionBudget",
  metadata: metadataOf(s, component),
  spec: { maxUnavailable: 1, selector: { matchLabels: selectorOf(s, component) } },
});

export const serviceAccount = (
  s: Settings,
  component: string,
  namespace: Value = s.namespace,
): { [key: string]: Open } => ({
  apiVersion: "v1",
  kind: "ServiceAccount",
  metadata: { ...metadataOf(s, component), namespace },
});
