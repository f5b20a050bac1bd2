import { clusterWide, namespaced } from "../../handle.ts";
import { serviceSpec } from "../kinds.ts";
import type { Family } from "./family.ts";
import { labels, selector, template } from "./pod-specs.ts";

/** What pods are reached by and keep things in, and what a namespace allows. */
export const servicesAndStorage: Readonly<Record<string, Family>> = {
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
    // With limits the embedded server counts at once, a real one only with its controllers: see the quotas among the cascades.
    least: { spec: {} },
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
};
