import type { JsonObject } from "@trivium/std";
import { clusterWide, type Handle, namespaced } from "../handle.ts";
import { type Sequence, type Step, sequence } from "../sequence.ts";
import { deploymentSpec, podSpec, serviceSpec } from "./kinds.ts";

/** A built-in kind: the least that is taken, one with everything in it, and manifests with one thing wrong each. */
interface Family {
  readonly at: Handle;
  readonly least: JsonObject;
  readonly rich?: JsonObject;
  readonly wrong: Readonly<Record<string, JsonObject>>;
  /** Changes to the rich one, some of them refused. */
  readonly changes?: readonly JsonObject[];
}

const template = deploymentSpec.template;
const labels = { app: "a" };
const selector = { matchLabels: labels };
const withPod = (spec: object): JsonObject => ({ spec: { ...podSpec, ...spec } as never });
const withContainer = (fields: object): JsonObject =>
  withPod({ containers: [{ name: "main", image: "nginx", ...fields }] });
const richPod = {
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

const families: Readonly<Record<string, Family>> = {
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
  service: {
    at: namespaced("v1", "services", "Service"),
    least: { spec: serviceSpec },
    rich: {
      spec: {
        type: "LoadBalancer",
        selector: labels,
        sessionAffinity: "ClientIP",
        externalTrafficPolicy: "Local",
        internalTrafficPolicy: "Local",
        publishNotReadyAddresses: true,
        loadBalancerSourceRanges: ["10.0.0.0/8"],
        ports: [
          { name: "a", port: 80, targetPort: "http" },
          { name: "b", port: 53, protocol: "UDP", appProtocol: "x/y" },
        ],
      },
    },
    wrong: {
      "no ports": { spec: { selector: labels } },
      "port 0": { spec: { ports: [{ port: 0 }] } },
      "ports without names": { spec: { ports: [{ port: 1 }, { port: 2 }] } },
      "port twice": {
        spec: {
          ports: [
            { name: "a", port: 1 },
            { name: "b", port: 1 },
          ],
        },
      },
      "name twice": {
        spec: {
          ports: [
            { name: "a", port: 1 },
            { name: "a", port: 2 },
          ],
        },
      },
      type: { spec: { type: "X", ports: [{ port: 1 }] } },
      address: { spec: { clusterIP: "nope", ports: [{ port: 1 }] } },
      "external without name": { spec: { type: "ExternalName" } },
      "external with address": { spec: { type: "ExternalName", externalName: "a.b", clusterIP: "10.96.0.77" } },
      "target port": { spec: { ports: [{ port: 1, targetPort: "NOT_OK" }] } },
      affinity: { spec: { sessionAffinity: "X", ports: [{ port: 1 }] } },
      "headless node port": { spec: { type: "NodePort", clusterIP: "None", ports: [{ port: 1 }] } },
      "node port range": { spec: { type: "NodePort", ports: [{ port: 1, nodePort: 1 }] } },
      protocol: { spec: { ports: [{ port: 1, protocol: "X" }] } },
      "bad name": { metadata: { name: "1abc" }, spec: { ports: [{ port: 1 }] } },
      selector: { spec: { selector: { "a b": "c" }, ports: [{ port: 1 }] } },
      "two addresses": { spec: { clusterIPs: ["None", "None"], ports: [{ port: 1 }] } },
      "source ranges": { spec: { type: "LoadBalancer", loadBalancerSourceRanges: ["x"], ports: [{ port: 1 }] } },
      "external ips": { spec: { externalIPs: ["127.0.0.1"], ports: [{ port: 1 }] } },
      "traffic policy": { spec: { externalTrafficPolicy: "Local", ports: [{ port: 1 }] } },
    },
    changes: [
      { spec: { type: "ClusterIP", externalTrafficPolicy: null, loadBalancerSourceRanges: null } },
      { spec: { sessionAffinity: "None", sessionAffinityConfig: null } },
      { spec: { clusterIP: "10.96.200.200", clusterIPs: null } },
    ],
  },
  "headless service": {
    at: namespaced("v1", "services", "Service"),
    least: { spec: { clusterIP: "None", selector: labels } },
    rich: { spec: { type: "ExternalName", externalName: "a.example" } },
    wrong: { change: { spec: { type: "ExternalName", externalName: "A_b" } } },
    changes: [{ spec: { type: "ClusterIP", externalName: null, ports: [{ port: 1 }] } }],
  },
  "service account": {
    at: namespaced("v1", "serviceaccounts", "ServiceAccount"),
    least: {},
    rich: { secrets: [{ name: "a" }], imagePullSecrets: [{ name: "b" }], automountServiceAccountToken: false },
    wrong: { name: { metadata: { name: "A" } } },
  },
  "volume claim": {
    at: namespaced("v1", "persistentvolumeclaims", "PersistentVolumeClaim"),
    least: { spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } } },
    rich: {
      spec: {
        accessModes: ["ReadWriteMany", "ReadOnlyMany"],
        resources: { requests: { storage: "1500Mi" } },
        storageClassName: "fast",
        volumeMode: "Block",
        volumeName: "v",
        selector,
      },
    },
    wrong: {
      nothing: {},
      "no modes": { spec: { resources: { requests: { storage: "1Gi" } } } },
      "no size": { spec: { accessModes: ["ReadWriteOnce"] } },
      mode: { spec: { accessModes: ["X"], resources: { requests: { storage: "1Gi" } } } },
      zero: { spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "0" } } } },
      "exclusive mode": {
        spec: { accessModes: ["ReadWriteOncePod", "ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
      },
      class: {
        spec: { accessModes: ["ReadWriteOnce"], storageClassName: "A_B", resources: { requests: { storage: "1Gi" } } },
      },
    },
    changes: [{ spec: { accessModes: ["ReadWriteOnce"] } }, { spec: { resources: { requests: { storage: "2Gi" } } } }],
  },
  volume: {
    at: clusterWide("v1", "persistentvolumes", "PersistentVolume"),
    least: { spec: { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], hostPath: { path: "/x" } } },
    wrong: {
      nothing: {},
      "no source": { spec: { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"] } },
      "two sources": {
        spec: {
          capacity: { storage: "1Gi" },
          accessModes: ["ReadWriteOnce"],
          hostPath: { path: "/x" },
          nfs: { server: "a", path: "/" },
        },
      },
      policy: {
        spec: {
          capacity: { storage: "1Gi" },
          accessModes: ["ReadWriteOnce"],
          hostPath: { path: "/x" },
          persistentVolumeReclaimPolicy: "X",
        },
      },
    },
  },
  "limit range": {
    at: namespaced("v1", "limitranges", "LimitRange"),
    least: { spec: { limits: [{ type: "Container", default: { cpu: "1" } }] } },
    wrong: {
      "min above max": { spec: { limits: [{ type: "Container", min: { cpu: "2" }, max: { cpu: "1" } }] } },
      "type twice": { spec: { limits: [{ type: "Pod" }, { type: "Pod" }] } },
    },
  },
  "resource quota": {
    at: namespaced("v1", "resourcequotas", "ResourceQuota"),
    least: { spec: { hard: { pods: "5", "requests.cpu": "1" } } },
    wrong: {
      negative: { spec: { hard: { pods: "-1" } } },
      name: { spec: { hard: { "a b": "1" } } },
      "parts of a pod": { spec: { hard: { pods: "0.5" } } },
    },
  },
  "pod template": {
    at: namespaced("v1", "podtemplates", "PodTemplate"),
    least: { template },
    wrong: { nothing: { template: { spec: { containers: [] } } } },
  },
  "replication controller": {
    at: namespaced("v1", "replicationcontrollers", "ReplicationController"),
    least: { spec: { selector: labels, template } },
    wrong: {
      nothing: {},
      "labels differ": { spec: { selector: { app: "b" }, template } },
      replicas: { spec: { replicas: -1, selector: labels, template } },
    },
  },
  endpoints: {
    at: namespaced("v1", "endpoints", "Endpoints"),
    least: { subsets: [{ addresses: [{ ip: "1.2.3.4" }], ports: [{ port: 80 }] }] },
    wrong: {
      address: { subsets: [{ addresses: [{ ip: "x" }], ports: [{ port: 80 }] }] },
      loopback: { subsets: [{ addresses: [{ ip: "127.0.0.1" }] }] },
    },
  },
  event: {
    at: namespaced("v1", "events", "Event"),
    least: {
      involvedObject: { kind: "Pod", name: "x", namespace: "{ns}" },
      reason: "R",
      message: "m",
      type: "Normal",
      source: { component: "judge" },
      count: 1,
    },
    wrong: { namespace: { involvedObject: { kind: "Pod", name: "x", namespace: "other" } } },
  },
  deployment: {
    at: namespaced("apps/v1", "deployments", "Deployment"),
    least: { spec: deploymentSpec },
    rich: {
      spec: {
        replicas: 3,
        minReadySeconds: 5,
        paused: true,
        progressDeadlineSeconds: 100,
        revisionHistoryLimit: 2,
        strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: "50%", maxUnavailable: 0 } },
        selector,
        template: {
          metadata: { labels, annotations: { a: "b" } },
          spec: { ...podSpec, terminationGracePeriodSeconds: 5 },
        },
      },
    },
    wrong: {
      "labels differ": { spec: { selector: { matchLabels: { app: "b" } }, template } },
      "empty selector": { spec: { selector: {}, template } },
      "no template": { spec: { selector } },
      replicas: { spec: { ...deploymentSpec, replicas: -1 } },
      strategy: { spec: { ...deploymentSpec, strategy: { type: "X" } } },
      "recreate with rolling": {
        spec: { ...deploymentSpec, strategy: { type: "Recreate", rollingUpdate: { maxSurge: 1 } } },
      },
      "both zero": { spec: { ...deploymentSpec, strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } } } },
      percent: { spec: { ...deploymentSpec, strategy: { rollingUpdate: { maxUnavailable: "200%" } } } },
      "no percent": { spec: { ...deploymentSpec, strategy: { rollingUpdate: { maxSurge: "x" } } } },
      "restart policy": {
        spec: { selector, template: { metadata: { labels }, spec: { ...podSpec, restartPolicy: "Never" } } },
      },
      deadline: { spec: { ...deploymentSpec, progressDeadlineSeconds: 5, minReadySeconds: 10 } },
      "selector operator": { spec: { selector: { matchExpressions: [{ key: "a", operator: "X" }] }, template } },
      "template fault": {
        spec: { selector, template: { metadata: { labels }, spec: { containers: [{ name: "A_", image: "" }] } } },
      },
    },
    changes: [
      { spec: { paused: false } },
      { spec: { selector: { matchLabels: { app: "z" } } } },
      { spec: { template: { metadata: { labels: { app: "z" } } } } },
    ],
  },
  "replica set": {
    at: namespaced("apps/v1", "replicasets", "ReplicaSet"),
    least: { spec: { selector, template } },
    wrong: { "labels differ": { spec: { selector: { matchLabels: { app: "b" } }, template } }, nothing: {} },
    changes: [],
  },
  "daemon set": {
    at: namespaced("apps/v1", "daemonsets", "DaemonSet"),
    least: { spec: { selector, template } },
    wrong: {
      "labels differ": { spec: { selector: { matchLabels: { app: "b" } }, template } },
      strategy: { spec: { selector, template, updateStrategy: { type: "X" } } },
    },
    changes: [],
  },
  "stateful set": {
    at: namespaced("apps/v1", "statefulsets", "StatefulSet"),
    least: { spec: { selector, template, serviceName: "s" } },
    rich: {
      spec: {
        selector,
        template,
        serviceName: "s",
        replicas: 2,
        podManagementPolicy: "Parallel",
        updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 1 } },
        persistentVolumeClaimRetentionPolicy: { whenDeleted: "Delete", whenScaled: "Retain" },
        volumeClaimTemplates: [
          {
            metadata: { name: "d" },
            spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
          },
        ],
        ordinals: { start: 1 },
      },
    },
    wrong: {
      "labels differ": { spec: { selector: { matchLabels: { app: "b" } }, template } },
      policy: { spec: { selector, template, podManagementPolicy: "X" } },
      strategy: { spec: { selector, template, updateStrategy: { type: "X" } } },
    },
    changes: [{ spec: { replicas: 5 } }, { spec: { serviceName: "t" } }],
  },
  job: {
    at: namespaced("batch/v1", "jobs", "Job"),
    least: { spec: { template: { spec: { ...podSpec, restartPolicy: "Never" } } } },
    rich: {
      spec: {
        parallelism: 2,
        completions: 4,
        backoffLimit: 1,
        activeDeadlineSeconds: 60,
        ttlSecondsAfterFinished: 5,
        completionMode: "Indexed",
        suspend: true,
        podReplacementPolicy: "Failed",
        podFailurePolicy: { rules: [{ action: "FailJob", onExitCodes: { operator: "In", values: [1] } }] },
        template: { spec: { ...podSpec, restartPolicy: "Never" } },
      },
    },
    wrong: {
      "restart policy": { spec: { template: { spec: podSpec } } },
      negative: {
        spec: {
          parallelism: -1,
          completions: -1,
          backoffLimit: -1,
          template: { spec: { ...podSpec, restartPolicy: "Never" } },
        },
      },
      selector: { spec: { selector, template: { spec: { ...podSpec, restartPolicy: "Never" } } } },
      mode: { spec: { completionMode: "Indexed", template: { spec: { ...podSpec, restartPolicy: "Never" } } } },
      nothing: {},
    },
    changes: [{ spec: { suspend: false } }, { spec: { completions: 9 } }, { spec: { backoffLimit: 3 } }],
  },
  "cron job": {
    at: namespaced("batch/v1", "cronjobs", "CronJob"),
    least: {
      spec: {
        schedule: "* * * * *",
        jobTemplate: { spec: { template: { spec: { ...podSpec, restartPolicy: "Never" } } } },
      },
    },
    wrong: {
      schedule: {
        spec: { schedule: "x", jobTemplate: { spec: { template: { spec: { ...podSpec, restartPolicy: "Never" } } } } },
      },
      zone: {
        spec: {
          schedule: "TZ=x * * * * *",
          jobTemplate: { spec: { template: { spec: { ...podSpec, restartPolicy: "Never" } } } },
        },
      },
      policy: {
        spec: {
          schedule: "@daily",
          concurrencyPolicy: "X",
          jobTemplate: { spec: { template: { spec: { ...podSpec, restartPolicy: "Never" } } } },
        },
      },
      "long name": {
        metadata: { name: "a".repeat(53) },
        spec: {
          schedule: "@daily",
          jobTemplate: { spec: { template: { spec: { ...podSpec, restartPolicy: "Never" } } } },
        },
      },
    },
  },
  autoscaler: {
    at: namespaced("autoscaling/v2", "horizontalpodautoscalers", "HorizontalPodAutoscaler"),
    least: { spec: { maxReplicas: 3, scaleTargetRef: { kind: "Deployment", name: "a", apiVersion: "apps/v1" } } },
    rich: {
      spec: {
        minReplicas: 2,
        maxReplicas: 9,
        scaleTargetRef: { kind: "Deployment", name: "a" },
        metrics: [
          { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 60 } } },
          { type: "Pods", pods: { metric: { name: "m" }, target: { type: "AverageValue", averageValue: "5" } } },
        ],
        behavior: {
          scaleDown: { stabilizationWindowSeconds: 5, policies: [{ type: "Percent", value: 10, periodSeconds: 15 }] },
        },
      },
    },
    wrong: {
      "min above max": { spec: { minReplicas: 4, maxReplicas: 3, scaleTargetRef: { kind: "D", name: "a" } } },
      "no target": { spec: { maxReplicas: 1 } },
      zero: { spec: { maxReplicas: 0, scaleTargetRef: { kind: "D", name: "a" } } },
      "metric type": { spec: { maxReplicas: 1, scaleTargetRef: { kind: "D", name: "a" }, metrics: [{ type: "X" }] } },
      "metric without target": {
        spec: {
          maxReplicas: 1,
          scaleTargetRef: { kind: "D", name: "a" },
          metrics: [{ type: "Resource", resource: { name: "cpu", target: { type: "Utilization" } } }],
        },
      },
    },
    changes: [{ spec: { minReplicas: 3 } }],
  },
  "autoscaler v1": {
    at: namespaced("autoscaling/v1", "horizontalpodautoscalers", "HorizontalPodAutoscaler"),
    least: { spec: { maxReplicas: 3, scaleTargetRef: { kind: "Deployment", name: "a", apiVersion: "apps/v1" } } },
    rich: {
      spec: { maxReplicas: 3, targetCPUUtilizationPercentage: 70, scaleTargetRef: { kind: "Deployment", name: "a" } },
    },
    wrong: { zero: { spec: { maxReplicas: 0, scaleTargetRef: { kind: "D", name: "a" } } } },
  },
  ingress: {
    at: namespaced("networking.k8s.io/v1", "ingresses", "Ingress"),
    least: { spec: { defaultBackend: { service: { name: "s", port: { number: 80 } } } } },
    rich: {
      spec: {
        ingressClassName: "c",
        tls: [{ hosts: ["a.b"], secretName: "t" }],
        rules: [
          {
            host: "a.b",
            http: {
              paths: [{ path: "/", pathType: "Prefix", backend: { service: { name: "s", port: { name: "http" } } } }],
            },
          },
        ],
      },
    },
    wrong: {
      nothing: { spec: {} },
      "path type": {
        spec: {
          rules: [{ http: { paths: [{ path: "/", backend: { service: { name: "s", port: { number: 1 } } } }] } }],
        },
      },
      path: {
        spec: {
          rules: [
            {
              http: {
                paths: [{ path: "x", pathType: "Exact", backend: { service: { name: "s", port: { number: 1 } } } }],
              },
            },
          ],
        },
      },
      host: { spec: { rules: [{ host: "A_b", http: { paths: [] } }] } },
      port: { spec: { defaultBackend: { service: { name: "s", port: { number: 0 } } } } },
    },
  },
  "ingress class": {
    at: clusterWide("networking.k8s.io/v1", "ingressclasses", "IngressClass"),
    least: { spec: { controller: "a.b/c" } },
    wrong: { controller: { spec: { controller: "x" } }, nothing: {} },
  },
  "network policy": {
    at: namespaced("networking.k8s.io/v1", "networkpolicies", "NetworkPolicy"),
    least: { spec: { podSelector: {} } },
    rich: {
      spec: {
        podSelector: selector,
        ingress: [{ from: [{ ipBlock: { cidr: "10.0.0.0/8", except: ["10.1.0.0/16"] } }], ports: [{ port: 80 }] }],
        egress: [{}],
      },
    },
    wrong: {
      cidr: { spec: { podSelector: {}, ingress: [{ from: [{ ipBlock: { cidr: "x" } }] }] } },
      type: { spec: { podSelector: {}, policyTypes: ["X"] } },
    },
  },
  "disruption budget": {
    at: namespaced("policy/v1", "poddisruptionbudgets", "PodDisruptionBudget"),
    least: { spec: { selector, minAvailable: 1 } },
    rich: { spec: { selector, maxUnavailable: "30%", unhealthyPodEvictionPolicy: "AlwaysAllow" } },
    wrong: {
      both: { spec: { selector, minAvailable: 1, maxUnavailable: 1 } },
      percent: { spec: { selector, minAvailable: "x" } },
      negative: { spec: { selector, minAvailable: -1 } },
    },
  },
  role: {
    at: namespaced("rbac.authorization.k8s.io/v1", "roles", "Role"),
    least: {},
    rich: { rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["get"], resourceNames: ["x"] }] },
    wrong: {
      "no verbs": { rules: [{ apiGroups: [""], resources: ["pods"], verbs: [] }] },
      "no resources": { rules: [{ apiGroups: [""], verbs: ["get"] }] },
      urls: { rules: [{ nonResourceURLs: ["/x"], verbs: ["get"] }] },
    },
  },
  "role binding": {
    at: namespaced("rbac.authorization.k8s.io/v1", "rolebindings", "RoleBinding"),
    least: { roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" } },
    rich: {
      subjects: [
        { kind: "ServiceAccount", name: "a", namespace: "{ns}" },
        { kind: "User", name: "u" },
      ],
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" },
    },
    wrong: {
      subject: {
        subjects: [{ kind: "X", name: "" }],
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" },
      },
      role: { roleRef: { apiGroup: "x", kind: "Y", name: "" } },
    },
    changes: [{ roleRef: { name: "edit" } }],
  },
  "cluster role": {
    at: clusterWide("rbac.authorization.k8s.io/v1", "clusterroles", "ClusterRole"),
    least: { rules: [{ nonResourceURLs: ["/x"], verbs: ["get"] }] },
    wrong: { both: { rules: [{ nonResourceURLs: ["/x"], resources: ["pods"], apiGroups: [""], verbs: ["get"] }] } },
  },
  "cluster role binding": {
    at: clusterWide("rbac.authorization.k8s.io/v1", "clusterrolebindings", "ClusterRoleBinding"),
    least: {
      subjects: [{ kind: "Group", name: "g" }],
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" },
    },
    wrong: { role: { roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "x" } } },
  },
  "storage class": {
    at: clusterWide("storage.k8s.io/v1", "storageclasses", "StorageClass"),
    least: { provisioner: "a.b/c" },
    wrong: {
      nothing: {},
      policy: { provisioner: "x", reclaimPolicy: "X" },
      mode: { provisioner: "x", volumeBindingMode: "X" },
    },
  },
  "priority class": {
    at: clusterWide("scheduling.k8s.io/v1", "priorityclasses", "PriorityClass"),
    least: { value: 5 },
    wrong: { "too high": { value: 2000000000 }, policy: { value: 1, preemptionPolicy: "X" } },
  },
  lease: {
    at: namespaced("coordination.k8s.io/v1", "leases", "Lease"),
    least: {},
    rich: {
      spec: {
        holderIdentity: "h",
        leaseDurationSeconds: 5,
        acquireTime: "2020-01-01T00:00:00.123456Z",
        renewTime: "2020-01-01T00:00:00.000000Z",
        leaseTransitions: 1,
      },
    },
    wrong: {
      duration: { spec: { leaseDurationSeconds: 0 } },
      transitions: { spec: { leaseTransitions: -1 } },
      time: { spec: { renewTime: "x" } },
    },
  },
  "endpoint slice": {
    at: namespaced("discovery.k8s.io/v1", "endpointslices", "EndpointSlice"),
    least: { addressType: "IPv4", endpoints: [{ addresses: ["1.2.3.4"] }] },
    rich: {
      addressType: "IPv4",
      ports: [{ name: "a", port: 80 }],
      endpoints: [{ addresses: ["1.2.3.4"], conditions: { ready: true }, targetRef: { kind: "Pod", name: "p" } }],
    },
    wrong: {
      type: { addressType: "X", endpoints: [] },
      address: { addressType: "IPv4", endpoints: [{ addresses: ["x"] }] },
      none: { addressType: "IPv4", endpoints: [{ addresses: [] }] },
    },
  },
  "runtime class": {
    at: clusterWide("node.k8s.io/v1", "runtimeclasses", "RuntimeClass"),
    least: { handler: "h" },
    wrong: { handler: { handler: "A_" }, nothing: {} },
  },
  "validating webhook": {
    at: clusterWide(
      "admissionregistration.k8s.io/v1",
      "validatingwebhookconfigurations",
      "ValidatingWebhookConfiguration",
    ),
    least: { webhooks: [] },
    wrong: {
      "side effects": {
        webhooks: [{ name: "a.b.c", clientConfig: { url: "https://a.b" }, admissionReviewVersions: ["v1"] }],
      },
      "no client": {
        webhooks: [{ name: "a.b.c", clientConfig: {}, sideEffects: "None", admissionReviewVersions: ["v1"] }],
      },
    },
  },
};

function sequencesOf(name: string, { at, least, rich, wrong, changes }: Family): Sequence[] {
  const id = at.at().includes("{ns}") ? "a" : "{id}";
  const tableOf = (first: Step): Step[] => [first, at.table(id), at.partial(id), at.remove(id)];
  return [
    sequence(`built-in/${name}: least`, ...tableOf(at.create(id, least))),
    ...(rich === undefined ? [] : [sequence(`built-in/${name}: rich`, ...tableOf(at.create(id, rich)))]),
    ...(changes === undefined
      ? []
      : [
          sequence(
            `built-in/${name}: changes`,
            at.create(id, rich ?? least),
            ...changes.map((change) => at.merge(id, change)),
            at.get(id),
            at.remove(id, { gracePeriodSeconds: 0 }),
          ),
        ]),
    ...Object.entries(wrong).map(([what, manifest]) =>
      sequence(`built-in/${name}: wrong ${what}`, at.create(id, manifest)),
    ),
  ];
}

/** Each quantity in, and what is answered: canonical forms, rounding, and refusals. */
const quantities = [
  "1",
  "1.5",
  "1500m",
  "0.1",
  "1e3",
  "1E3",
  "1k",
  "1Ki",
  "1.5Gi",
  "1000Mi",
  "1024Mi",
  "0",
  "-1",
  "1u",
  "1n",
  "0.0001",
  "+1",
  ".5",
  "1.",
  "1_000",
  "1 Gi",
  "Gi",
  "",
  "1KB",
  "1e",
  "99999999999999999999",
  "0x10",
  "1ki",
];
const ofQuantities: Sequence[] = quantities.map((quantity) =>
  sequence(
    `quantity/${quantity === "" ? "empty" : quantity}`,
    namespaced("v1", "resourcequotas", "ResourceQuota").create("a", {
      spec: { hard: { "requests.memory": quantity } },
    }),
  ),
);

export const builtIn: Sequence[] = [
  ...Object.entries(families).flatMap(([name, family]) => sequencesOf(name, family)),
  ...ofQuantities,
];
