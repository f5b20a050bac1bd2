import type { JsonObject } from "@trivium/std";
import { deploymentSpec, podSpec } from "../kinds.ts";

export const template = deploymentSpec.template;
export const labels = { app: "a" };
export const selector = { matchLabels: labels };
export const withPod = (spec: object): JsonObject => ({ spec: { ...podSpec, ...spec } as never });
export const withContainer = (fields: object): JsonObject =>
  withPod({ containers: [{ name: "main", image: "nginx", ...fields }] });
/** Everything that a pod can say. */
export const richPod = {
  automountServiceAccountToken: false,
  terminationGracePeriodSeconds: 5,
  nodeSelector: { gpu: "x" },
  hostname: "h",
  subdomain: "s",
  priority: 0,
  securityContext: { runAsUser: 1, fsGroup: 2, runAsNonRoot: true },
  tolerations: [{ key: "k", operator: "Equal", value: "v", effect: "NoExecute", tolerationSeconds: 5 }],
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchExpressions: [{ key: "a", operator: "In", values: ["b"] }] }],
      },
    },
    podAntiAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution: [
        { weight: 1, podAffinityTerm: { topologyKey: "zone", labelSelector: selector } },
      ],
    },
  },
  volumes: [
    { name: "c", configMap: { name: "c", items: [{ key: "k", path: "p" }] } },
    { name: "e", emptyDir: { medium: "Memory", sizeLimit: "1Gi" } },
    { name: "p", persistentVolumeClaim: { claimName: "p" } },
    { name: "s", secret: { secretName: "s" } },
    { name: "h", hostPath: { path: "/h" } },
    { name: "pr", projected: { sources: [{ configMap: { name: "x" } }] } },
  ],
  initContainers: [{ name: "init", image: "busybox", command: ["true"] }],
  containers: [
    {
      name: "main",
      image: "nginx:1",
      command: ["a"],
      args: ["b"],
      workingDir: "/w",
      env: [
        { name: "A", value: "1" },
        { name: "B", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
        { name: "C", valueFrom: { secretKeyRef: { name: "s", key: "k" } } },
        { name: "D", valueFrom: { resourceFieldRef: { resource: "limits.cpu" } } },
      ],
      envFrom: [{ configMapRef: { name: "x" } }],
      ports: [{ name: "http", containerPort: 80 }],
      resources: {
        requests: { cpu: "100m", memory: "0.5Gi" },
        limits: { cpu: "1", memory: "1Gi", "nvidia.com/gpu": "1" },
      },
      livenessProbe: { httpGet: { path: "/", port: "http" } },
      readinessProbe: { exec: { command: ["x"] }, periodSeconds: 3 },
      startupProbe: { tcpSocket: { port: 80 } },
      lifecycle: { preStop: { exec: { command: ["x"] } } },
      volumeMounts: [
        { name: "c", mountPath: "/c", readOnly: true },
        { name: "e", mountPath: "/e", subPath: "x" },
      ],
      securityContext: { capabilities: { drop: ["ALL"] }, readOnlyRootFilesystem: true },
    },
  ],
  topologySpreadConstraints: [
    { maxSkew: 1, topologyKey: "zone", whenUnsatisfiable: "ScheduleAnyway", labelSelector: selector },
  ],
  imagePullSecrets: [{ name: "r" }],
  dnsPolicy: "None",
  dnsConfig: { nameservers: ["1.1.1.1"] },
} as unknown as JsonObject;
