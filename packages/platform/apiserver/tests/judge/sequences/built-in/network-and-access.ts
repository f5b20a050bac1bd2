import { clusterWide, namespaced } from "../../handle.ts";
import type { Family } from "./family.ts";
import { selector } from "./pod-specs.ts";

/** Ways in, rights, and the classes of a cluster. */
export const networkAndAccess: Readonly<Record<string, Family>> = {
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
