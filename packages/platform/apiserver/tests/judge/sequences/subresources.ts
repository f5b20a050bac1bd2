import type { JsonObject } from "@trivium/std";
import { gadgets } from "../fixtures.ts";
import type { Handle } from "../handle.ts";
import { call, type Sequence, sequence } from "../sequence.ts";
import {
  accounts,
  budgets,
  claims,
  deploymentSpec,
  deployments,
  jobs,
  maps,
  podSpec,
  pods,
  serviceSpec,
  services,
  statefulSets,
} from "./kinds.ts";

/** Which parts of metadata a write of status changes differs from kind to kind. */
const ways: readonly (readonly [Handle, JsonObject])[] = [
  [deployments, { spec: deploymentSpec }],
  [statefulSets, { spec: { ...deploymentSpec, serviceName: "s" } }],
  [pods, { spec: podSpec }],
  [services, { spec: serviceSpec }],
  [claims, { spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } } }],
  [jobs, { spec: { template: { spec: { ...podSpec, restartPolicy: "Never" } } } }],
  [gadgets, {}],
];
const metadataThroughStatus: Sequence[] = ways.map(([at, manifest]) =>
  sequence(
    `status/metadata of ${at.kind}`,
    at.create("a", manifest),
    at.merge("a/status", { metadata: { labels: { q: "r" }, annotations: { s: "t" }, finalizers: ["a.b/c"] } }),
    at.merge("a", { metadata: { finalizers: null } }),
  ),
);

export const subresources: Sequence[] = [
  sequence(
    "scale/deployment",
    deployments.create("a", { spec: deploymentSpec }),
    deployments.get("a/scale"),
    deployments.merge("a/scale", { spec: { replicas: 3 } }),
    deployments.get("a"),
  ),
  sequence(
    "scale/put",
    deployments.create("a", { spec: deploymentSpec }),
    call("PUT", deployments.at("a/scale"), {
      apiVersion: "autoscaling/v1",
      kind: "Scale",
      metadata: { name: "a", namespace: "{ns}" },
      spec: { replicas: 4 },
    }),
    call("PUT", deployments.at("a/scale"), {
      apiVersion: "autoscaling/v1",
      kind: "Scale",
      metadata: { name: "b" },
      spec: { replicas: 4 },
    }),
  ),
  sequence(
    "scale/faults",
    deployments.create("a", { spec: deploymentSpec }),
    deployments.merge("a/scale", { spec: { replicas: -1 } }),
    deployments.merge("a/scale", { spec: { replicas: "x" } }),
    deployments.merge("b/scale", {}),
    call("POST", deployments.at("a/scale"), {}),
    call("DELETE", deployments.at("a/scale")),
  ),
  sequence(
    "scale/stale",
    deployments.create("a", { spec: deploymentSpec }),
    deployments.merge("a", { spec: { replicas: 2 } }),
    call("PUT", deployments.at("a/scale"), {
      apiVersion: "autoscaling/v1",
      kind: "Scale",
      metadata: { name: "a", namespace: "{ns}", resourceVersion: "$1.metadata.resourceVersion" },
      spec: { replicas: 4 },
    }),
  ),
  sequence(
    "scale/stateful set",
    statefulSets.create("a", { spec: { ...deploymentSpec, serviceName: "s" } }),
    statefulSets.get("a/scale"),
    statefulSets.merge("a/scale", { spec: { replicas: 0 } }),
  ),
  sequence(
    "scale/json patch",
    deployments.create("a", { spec: deploymentSpec }),
    deployments.json("a/scale", [{ op: "replace", path: "/spec/replicas", value: 6 }]),
    deployments.strategic("a/scale", { spec: { replicas: 7 } }),
  ),
  sequence(
    "scale/apply",
    deployments.create("a", { spec: deploymentSpec }),
    call(
      "PATCH",
      deployments.at("a/scale", "fieldManager=s"),
      { apiVersion: "autoscaling/v1", kind: "Scale", metadata: { name: "a" }, spec: { replicas: 5 } },
      { "content-type": "application/apply-patch+yaml" },
    ),
  ),
  sequence("scale/table", deployments.create("a", { spec: deploymentSpec }), deployments.table("a/scale")),
  sequence(
    "status/deployment",
    deployments.create("a", { spec: deploymentSpec }),
    deployments.merge("a/status", { status: { replicas: 3, conditions: [{ type: "Available", status: "True" }] } }),
    deployments.merge("a/status", { spec: { replicas: 9 }, metadata: { labels: { q: "r" }, annotations: { s: "t" } } }),
    deployments.get("a"),
  ),
  sequence(
    "status/put",
    deployments.create("a", { spec: deploymentSpec }),
    deployments.put("a/status", { spec: deploymentSpec, status: { replicas: 2 } }),
    deployments.get("a/status"),
  ),
  sequence(
    "status/invalid",
    deployments.create("a", { spec: deploymentSpec }),
    deployments.merge("a/status", { status: { replicas: -1 } }),
    deployments.merge("a/status", { status: { readyReplicas: 5, replicas: 1 } }),
  ),
  sequence(
    "status/pod",
    pods.create("a", { spec: podSpec }),
    pods.strategic("a/status", {
      status: {
        phase: "Running",
        podIP: "10.1.2.3",
        podIPs: [{ ip: "10.1.2.3" }],
        conditions: [{ type: "Ready", status: "True" }],
      },
    }),
    pods.strategic("a/status", {
      status: {
        conditions: [
          { type: "Ready", status: "False" },
          { type: "Initialized", status: "True" },
        ],
      },
    }),
    pods.merge("a", { status: { phase: "Failed" } }),
    pods.get("a"),
  ),
  sequence(
    "status/service",
    services.create("a", { spec: { ...serviceSpec, type: "LoadBalancer" } }),
    services.merge("a/status", { status: { loadBalancer: { ingress: [{ ip: "1.2.3.4" }] } } }),
    services.merge("a/status", { status: { loadBalancer: { ingress: [{ ip: "nope" }] } } }),
  ),
  ...metadataThroughStatus,
  sequence("status/of kinds without", maps.create("a"), maps.merge("a/status", {})),
  sequence(
    "binding/pod",
    pods.create("a", { spec: podSpec }),
    call("POST", pods.at("a/binding"), {
      apiVersion: "v1",
      kind: "Binding",
      metadata: { name: "a" },
      target: { kind: "Node", name: "n1" },
    }),
    pods.get("a"),
    call("POST", pods.at("a/binding"), {
      apiVersion: "v1",
      kind: "Binding",
      metadata: { name: "a" },
      target: { kind: "Node", name: "n2" },
    }),
    call("POST", pods.at("zz/binding"), {
      apiVersion: "v1",
      kind: "Binding",
      metadata: { name: "zz" },
      target: { kind: "Node", name: "n2" },
    }),
  ),
  sequence(
    "binding/bad target",
    pods.create("a", { spec: podSpec }),
    call("POST", pods.at("a/binding"), {
      apiVersion: "v1",
      kind: "Binding",
      metadata: { name: "a" },
      target: { kind: "Pod", name: "n1" },
    }),
    call("POST", pods.at("a/binding"), {
      apiVersion: "v1",
      kind: "Binding",
      metadata: { name: "a" },
      target: { kind: "Node" },
    }),
  ),
  ...[
    { name: "enough are well", spec: {}, status: { currentHealthy: 2, desiredHealthy: 1, disruptionsAllowed: 0 } },
    { name: "too few are well", spec: {}, status: { currentHealthy: 0, desiredHealthy: 1, disruptionsAllowed: 0 } },
    {
      name: "always allowed",
      spec: { unhealthyPodEvictionPolicy: "AlwaysAllow" },
      status: { currentHealthy: 0, desiredHealthy: 1, disruptionsAllowed: 0 },
    },
  ].map(({ name, spec, status }) =>
    sequence(
      `eviction/of a pod that is not ready: ${name}`,
      pods.create("a", { metadata: { labels: { app: "a" } }, spec: podSpec }),
      pods.merge("a/status", { status: { phase: "Running", conditions: [{ type: "Ready", status: "False" }] } }),
      budgets.create("b", { spec: { minAvailable: 1, selector: { matchLabels: { app: "a" } }, ...spec } }),
      budgets.merge("b/status", { status: { expectedPods: 2, observedGeneration: 1, ...status } }),
      call("POST", pods.at("a/eviction"), { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "a" } }),
      budgets.get("b"),
    ),
  ),
  sequence(
    "eviction/pod",
    pods.create("a", { spec: podSpec }),
    call("POST", pods.at("a/eviction"), { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "a" } }),
    pods.get("a"),
    call("POST", pods.at("zz/eviction"), { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "zz" } }),
  ),
  sequence(
    "token/service account",
    accounts.create("a"),
    call("POST", accounts.at("zz/token"), { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} }),
  ),
];
