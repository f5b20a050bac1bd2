import { namespaced } from "../../handle.ts";
import { podSpec } from "../kinds.ts";
import type { Family } from "./family.ts";
import { richPod, withContainer, withPod } from "./pod-specs.ts";

/** Pods, and what they are told by. */
export const pods: Readonly<Record<string, Family>> = {
  "config map": {
    at: namespaced("v1", "configmaps", "ConfigMap"),
    least: {},
    rich: { data: { a: "1", "b.c": "2" }, binaryData: { d: "AAE=" }, immutable: false },
    wrong: {
      key: { data: { "a/b": "1" } },
      "key in both": { data: { a: "1" }, binaryData: { a: "AA==" } },
      base64: { binaryData: { a: "?" } },
    },
    changes: [{ immutable: true }, { data: { a: "2" } }],
  },
  secret: {
    at: namespaced("v1", "secrets", "Secret"),
    least: {},
    rich: { type: "kubernetes.io/basic-auth", data: { username: "eA==", password: "eA==" } },
    wrong: {
      "docker config": { type: "kubernetes.io/dockerconfigjson" },
      tls: { type: "kubernetes.io/tls" },
      ssh: { type: "kubernetes.io/ssh-auth" },
      basic: { type: "kubernetes.io/basic-auth" },
      key: { stringData: { "a b": "x" } },
      "account token": { type: "kubernetes.io/service-account-token" },
    },
    changes: [{ type: "Opaque" }, { immutable: true }, { data: { username: "eQ==" } }],
  },
  pod: {
    at: namespaced("v1", "pods", "Pod"),
    least: { spec: podSpec },
    rich: { spec: richPod },
    wrong: {
      "two containers of one name": withPod({
        containers: [
          { name: "a", image: "x" },
          { name: "a", image: "x" },
        ],
      }),
      "container without image": withPod({ containers: [{ name: "a" }] }),
      "container without name": withPod({ containers: [{ image: "x" }] }),
      "bad container name": withPod({ containers: [{ name: "A_", image: "x" }] }),
      "image with spaces": withPod({ containers: [{ name: "a", image: " x " }] }),
      "restart policy": withPod({ restartPolicy: "Sometimes" }),
      "dns policy": withPod({ dnsPolicy: "X" }),
      "bad node selector": withPod({ nodeSelector: { "a b": "c" } }),
      "negative grace": withPod({ terminationGracePeriodSeconds: -1 }),
      "negative deadline": withPod({ activeDeadlineSeconds: 0 }),
      "mount of no volume": withContainer({ volumeMounts: [{ name: "x", mountPath: "/x" }] }),
      "same mount path": withPod({
        volumes: [{ name: "v", emptyDir: {} }],
        containers: [
          {
            name: "a",
            image: "x",
            volumeMounts: [
              { name: "v", mountPath: "/x" },
              { name: "v", mountPath: "/x" },
            ],
          },
        ],
      }),
      "two volumes of one name": withPod({
        volumes: [
          { name: "v", emptyDir: {} },
          { name: "v", emptyDir: {} },
        ],
      }),
      "volume of two kinds": withPod({ volumes: [{ name: "v", emptyDir: {}, hostPath: { path: "/" } }] }),
      "volume of no kind": withPod({ volumes: [{ name: "v" }] }),
      "volume with bad mode": withPod({ volumes: [{ name: "v", configMap: { name: "c", defaultMode: 9999 } }] }),
      "env name": withContainer({ env: [{ name: "" }] }),
      "env two sources": withContainer({
        env: [{ name: "A", value: "x", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }],
      }),
      "env bad field": withContainer({ env: [{ name: "A", valueFrom: { fieldRef: { fieldPath: "spec.nope" } } }] }),
      "env no source": withContainer({ env: [{ name: "A", valueFrom: {} }] }),
      port: withContainer({ ports: [{ containerPort: 0 }] }),
      "port too high": withContainer({ ports: [{ containerPort: 70000 }] }),
      "port name": withContainer({ ports: [{ name: "TOOLONGNAME-FOR-A-PORT", containerPort: 1 }] }),
      "port names twice": withContainer({
        ports: [
          { name: "a", containerPort: 1 },
          { name: "a", containerPort: 2 },
        ],
      }),
      "port protocol": withContainer({ ports: [{ containerPort: 1, protocol: "X" }] }),
      "request above limit": withContainer({ resources: { requests: { cpu: "2" }, limits: { cpu: "1" } } }),
      "negative quantity": withContainer({ resources: { requests: { cpu: "-1" } } }),
      "no quantity": withContainer({ resources: { requests: { cpu: "lots" } } }),
      "unknown resource": withContainer({ resources: { requests: { nope: "1" } } }),
      "gpu without limit": withContainer({ resources: { requests: { "nvidia.com/gpu": "1" } } }),
      "gpu in parts": withContainer({ resources: { limits: { "nvidia.com/gpu": "0.5" } } }),
      "memory in milli": withContainer({ resources: { limits: { memory: "100m" } } }),
      "probe without action": withContainer({ livenessProbe: {} }),
      "probe with two actions": withContainer({ livenessProbe: { exec: { command: ["x"] }, tcpSocket: { port: 1 } } }),
      "probe bad numbers": withContainer({
        livenessProbe: { exec: { command: ["x"] }, periodSeconds: -1, failureThreshold: -1, successThreshold: 2 },
      }),
      "probe bad port": withContainer({ readinessProbe: { httpGet: { port: 0 } } }),
      "probe bad scheme": withContainer({ readinessProbe: { httpGet: { port: 80, scheme: "X" } } }),
      "pull policy": withContainer({ imagePullPolicy: "Maybe" }),
      toleration: withPod({
        tolerations: [{ key: "a", operator: "Exists", value: "x" }, { operator: "Equal" }, { key: "b", effect: "X" }],
      }),
      "affinity operator": withPod({
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [{ matchExpressions: [{ key: "a", operator: "X" }] }],
            },
          },
        },
      }),
      "affinity weight": withPod({
        affinity: {
          podAffinity: {
            preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 0, podAffinityTerm: { topologyKey: "" } }],
          },
        },
      }),
      spread: withPod({ topologySpreadConstraints: [{ maxSkew: 0, topologyKey: "", whenUnsatisfiable: "X" }] }),
      hostname: withPod({ hostname: "A.B" }),
      "no such account": withPod({ serviceAccountName: "none" }),
      "init without image": withPod({ initContainers: [{ name: "i" }] }),
      security: withContainer({ securityContext: { runAsUser: -1 } }),
      "host port": withPod({
        hostNetwork: true,
        containers: [{ name: "a", image: "x", ports: [{ containerPort: 80, hostPort: 81 }] }],
      }),
      "bad overhead": withPod({ overhead: { cpu: "-1" } }),
      "priority class": withPod({ priorityClassName: "nope" }),
    },
    changes: [
      { metadata: { labels: { x: "y" } } },
      { spec: { hostname: "z" } },
      { spec: { terminationGracePeriodSeconds: 1 } },
    ],
  },
};
