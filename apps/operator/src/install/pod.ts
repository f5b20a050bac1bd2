import type { Settings } from "./chart-values.ts";
import type { Open, Value } from "./value.ts";

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

export const probe = (path: string, port: string, periodSeconds: number): Open => ({
  httpGet: { path, port },
  periodSeconds,
  timeoutSeconds: 5,
});

/** Only the ports that are served can be reached; where a pod connects to is not restricted: sources of models are anywhere. */
export const networkPolicy = (s: Settings, component: string, ports: readonly string[]): { [key: string]: Open } => ({
  apiVersion: "networking.k8s.io/v1",
  kind: "NetworkPolicy",
  metadata: metadataOf(s, component),
  spec: {
    podSelector: { matchLabels: selectorOf(s, component) },
    policyTypes: ["Ingress"],
    ingress: [{ ports: ports.map((port) => ({ port, protocol: "TCP" })) }],
  },
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
