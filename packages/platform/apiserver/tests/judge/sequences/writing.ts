import type { JsonObject } from "@trivium/std";
import { gadgets } from "../fixtures.ts";
import type { Handle } from "../handle.ts";
import { call, type Sequence, type Step, sequence } from "../sequence.ts";
import {
  accounts,
  claims,
  deploymentSpec,
  deployments,
  jobs,
  maps,
  namespaces,
  nodes,
  podSpec,
  pods,
  secrets,
  serviceSpec,
  services,
  statefulSets,
} from "./kinds.ts";

const held = { metadata: { finalizers: ["judge.example/hold"] } };
const free = (name: string): Step => maps.merge(name, { metadata: { finalizers: null } });

const dryRuns: Sequence[] = [
  sequence("dry run/create", maps.create("a", { data: { a: "1" } }, "dryRun=All"), maps.get("a")),
  sequence(
    "dry run/generateName",
    maps.post({ apiVersion: "v1", kind: "ConfigMap", metadata: { generateName: "g-" } }, "dryRun=All"),
  ),
  sequence(
    "dry run/update and delete",
    maps.create("a"),
    maps.put("a", { data: { a: "1" } }, "dryRun=All"),
    maps.remove("a", undefined, "dryRun=All"),
    maps.remove("a", { dryRun: ["All"] }),
    maps.get("a"),
  ),
  sequence(
    "dry run/delete collection",
    maps.create("a"),
    maps.removeAll("dryRun=All&fieldSelector=metadata.name%3Da"),
    maps.get("a"),
  ),
  sequence(
    "dry run/faults",
    maps.create("a", {}, "dryRun=Nope"),
    maps.create("a", {}, "dryRun=All&dryRun=Nope"),
    maps.create("a", {}, "dryRun="),
    maps.remove("a", { dryRun: ["Nope"] }),
  ),
  sequence(
    "dry run/service address",
    services.create("a", { spec: serviceSpec }, "dryRun=All"),
    services.create("b", { spec: { ...serviceSpec, type: "NodePort" } }, "dryRun=All"),
  ),
  sequence("dry run/custom", gadgets.create("a", { spec: { size: 1 } }, "dryRun=All"), gadgets.get("a")),
  sequence(
    "dry run/status and scale",
    deployments.create("a", { spec: deploymentSpec }),
    deployments.merge("a/scale", { spec: { replicas: 9 } }, "dryRun=All"),
    deployments.merge("a/status", { status: { replicas: 9 } }, "dryRun=All"),
    deployments.get("a"),
  ),
];

const validation: Sequence[] = [
  sequence(
    "validation/unknown field",
    maps.create("a", { nope: 1 }, "fieldValidation=Strict"),
    maps.create("a", { nope: 1 }, "fieldValidation=Warn"),
    maps.create("b", { nope: 1 }, "fieldValidation=Ignore"),
    maps.create("c", { nope: 1 }),
  ),
  sequence(
    "validation/nested and several",
    deployments.create(
      "a",
      {
        nope: 1,
        spec: {
          ...deploymentSpec,
          nope: 2,
          template: {
            ...deploymentSpec.template,
            spec: { containers: [{ name: "a", image: "b", imag: "c", env: [{ name: "A", valu: "x" }] }] },
          },
        },
      },
      "fieldValidation=Strict",
    ),
    deployments.create("a", { nope: 1, spec: { ...deploymentSpec, nope: 2 } }),
  ),
  sequence(
    "validation/keys twice",
    maps.post(
      '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"a":"1","a":"2"}}',
      "fieldValidation=Strict",
    ),
    maps.post('{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"a":"1","a":"2"}}'),
    maps.post('{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"b"},"data":{"a":"1"},"data":{"b":"2"}}'),
  ),
  sequence(
    "validation/keys differ in case",
    maps.create("a", { Data: { a: "1" } }),
    maps.create("b", { Data: { a: "1" } }, "fieldValidation=Strict"),
    deployments.create("a", { spec: { ...deploymentSpec, Replicas: 3 } }),
  ),
  sequence("validation/bad value", maps.create("a", {}, "fieldValidation=Nope")),
  sequence(
    "validation/manager",
    maps.create("a", { data: { a: "1" } }, "fieldManager=me"),
    maps.put("a", { data: { a: "2" } }, "fieldManager=you"),
    maps.create("b", {}, "fieldManager=%01"),
  ),
  sequence(
    "validation/on put",
    maps.create("a"),
    maps.put("a", { nope: 1 }, "fieldValidation=Strict"),
    maps.put("a", { nope: 1 }),
  ),
  sequence(
    "validation/status in create",
    deployments.create("a", { spec: deploymentSpec, status: { replicas: 3, nope: 1 } }, "fieldValidation=Strict"),
    deployments.create("a", { spec: deploymentSpec, status: { replicas: 3 } }),
  ),
  sequence(
    "validation/YAML",
    maps.post("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\nnope: 1\nnope: 2\n", "fieldValidation=Strict", {
      "content-type": "application/yaml",
    }),
    maps.post("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\nnope: 1\n", "", {
      "content-type": "application/yaml",
    }),
  ),
];

const deletion: Sequence[] = [
  sequence(
    "delete/finalizer holds",
    maps.create("a", held),
    maps.remove("a"),
    maps.get("a"),
    maps.merge("a", { data: { x: "1" } }),
    maps.merge("a", { metadata: { finalizers: ["judge.example/hold", "b.c/d"] } }),
    free("a"),
    maps.get("a"),
  ),
  sequence("delete/twice while held", maps.create("a", held), maps.remove("a"), maps.remove("a"), free("a")),
  sequence("delete/create while held", maps.create("a", held), maps.remove("a"), maps.create("a"), free("a")),
  sequence(
    "delete/finalizer order",
    maps.create("a", { metadata: { finalizers: ["a.b/1", "a.b/2"] } }),
    maps.remove("a"),
    maps.merge("a", { metadata: { finalizers: ["a.b/2"] } }),
    maps.merge("a", { metadata: { finalizers: [] } }),
    maps.get("a"),
  ),
  sequence("delete/put removes finalizer", maps.create("a", held), maps.remove("a"), maps.put("a", {}), maps.get("a")),
  sequence(
    "delete/apply while held",
    maps.create("a", held),
    maps.remove("a"),
    maps.apply("a", { data: { x: "1" } }),
    free("a"),
  ),
  sequence(
    "delete/foreground is carried out",
    maps.create("a", held),
    maps.remove("a", { propagationPolicy: "Foreground" }),
    { ...maps.wait("a", (_, body) => !JSON.stringify(body).includes("foregroundDeletion")), patience: 500 },
  ),
  sequence("delete/background", maps.create("a"), maps.remove("a", { propagationPolicy: "Background" }), maps.get("a")),
  sequence("delete/foreground", maps.create("a", held), maps.remove("a", { propagationPolicy: "Foreground" })),
  sequence("delete/orphan", maps.create("a", held), maps.remove("a", { propagationPolicy: "Orphan" })),
  sequence(
    "delete/orphanDependents",
    maps.create("a", held),
    maps.remove("a", { orphanDependents: true }),
    maps.create("b", held),
    maps.remove("b", { orphanDependents: false }),
  ),
  sequence(
    "delete/both policies",
    maps.create("a"),
    maps.remove("a", { propagationPolicy: "Orphan", orphanDependents: true }),
  ),
  sequence(
    "delete/unknown policy",
    maps.create("a"),
    maps.remove("a", { propagationPolicy: "Magic" }),
    maps.remove("a", undefined, "propagationPolicy=Magic"),
  ),
  sequence(
    "delete/policy in the query",
    maps.create("a", held),
    maps.remove("a", undefined, "propagationPolicy=Foreground"),
  ),
  sequence(
    "delete/bad options",
    maps.create("a"),
    maps.remove("a", { kind: "DeleteOptions", apiVersion: "v1", gracePeriodSeconds: -1 }),
    maps.create("b"),
    call("DELETE", maps.at("b"), "nope"),
    call("DELETE", maps.at("b"), { kind: "Nope", apiVersion: "v1" }),
    maps.remove("b", { nope: 1 }),
  ),
  sequence(
    "delete/grace of pods",
    pods.create("a", { spec: { ...podSpec, nodeName: "n" } }),
    pods.remove("a"),
    pods.get("a"),
    pods.remove("a", { gracePeriodSeconds: 5 }),
    pods.remove("a", { gracePeriodSeconds: 0 }),
    pods.get("a"),
  ),
  sequence("delete/unscheduled pod goes at once", pods.create("a", { spec: podSpec }), pods.remove("a"), pods.get("a")),
  sequence(
    "delete/grace of the pod's own",
    pods.create("a", { spec: { ...podSpec, nodeName: "n", terminationGracePeriodSeconds: 7 } }),
    pods.remove("a"),
    pods.remove("a", undefined, "gracePeriodSeconds=3"),
    pods.remove("a", undefined, "gracePeriodSeconds=0"),
  ),
  sequence(
    "delete/answers by kind",
    services.create("a", { spec: serviceSpec }),
    services.remove("a"),
    deployments.create("a", { spec: deploymentSpec }),
    deployments.remove("a"),
    secrets.create("a"),
    secrets.remove("a"),
    accounts.create("a"),
    accounts.remove("a"),
  ),
  sequence(
    "delete/jobs orphan by default",
    jobs.create("a", { spec: { template: { spec: { ...podSpec, restartPolicy: "Never" } } }, ...held }),
    jobs.remove("a"),
  ),
  sequence(
    "delete/collection",
    maps.create("a", { metadata: { labels: { d: "1" } } }),
    maps.create("b", { metadata: { labels: { d: "1" } } }),
    maps.create("c"),
    maps.removeAll("labelSelector=d%3D1"),
    maps.list(),
  ),
  sequence(
    "delete/collection held",
    maps.create("a", { metadata: { ...held.metadata, labels: { d: "1" } } }),
    maps.removeAll("labelSelector=d%3D1"),
    maps.get("a"),
    free("a"),
  ),
  sequence("delete/collection of none", maps.removeAll("labelSelector=d%3Dnone"), gadgets.removeAll()),
  sequence(
    "delete/collection with bad selector",
    maps.removeAll("labelSelector=a%20in"),
    maps.removeAll("fieldSelector=x%3Dy"),
  ),
  sequence(
    "delete/services have a collection",
    services.create("a", { spec: serviceSpec }),
    services.removeAll(),
    services.list(),
  ),
  sequence(
    "delete/deletionTimestamp in create",
    maps.create("a", { metadata: { deletionTimestamp: "2020-01-01T00:00:00Z", finalizers: ["a.b/c"] } }),
  ),
];

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

const subresources: Sequence[] = [
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

const spaces: Sequence[] = [
  sequence(
    "namespaces/create and read",
    namespaces.create("{id}", { metadata: { labels: { a: "b" } } }),
    namespaces.get("{id}"),
    namespaces.table("{id}"),
    namespaces.merge("{id}", { metadata: { labels: { "kubernetes.io/metadata.name": "x" } } }),
  ),
  sequence("namespaces/bad names", namespaces.create("a.b"), namespaces.create("A"), namespaces.create("x".repeat(64))),
  sequence("namespaces/delete answers", namespaces.create("{id}"), namespaces.remove("{id}")),
  sequence("namespaces/finalizers of spec", namespaces.create("{id}", { spec: { finalizers: ["judge.example/x"] } })),
  sequence(
    "namespaces/held when deleted",
    namespaces.create("{id}", { spec: { finalizers: ["judge.example/x"] } }),
    namespaces.remove("{id}"),
    call("POST", "/api/v1/namespaces/{id}/configmaps", maps.object("a")),
    call("GET", "/api/v1/namespaces/{id}/configmaps?fieldSelector=metadata.name%3Dnone"),
  ),
  sequence(
    "namespaces/the ones that stay",
    namespaces.remove("default"),
    namespaces.remove("kube-system"),
    namespaces.get("nope-{id}"),
  ),
  sequence("namespaces/no collection to delete", call("DELETE", "/api/v1/namespaces")),
  sequence(
    "nodes/life",
    nodes.create("{id}", { metadata: { labels: { gpu: "x" } } }),
    nodes.merge("{id}/status", {
      status: { capacity: { cpu: "4", memory: "1Gi" }, conditions: [{ type: "Ready", status: "True" }] },
    }),
    nodes.table("{id}"),
    nodes.merge("{id}", { spec: { unschedulable: true, taints: [{ key: "a", effect: "NoSchedule" }] } }),
    nodes.merge("{id}", { spec: { taints: [{ key: "a", effect: "Nope" }] } }),
    nodes.remove("{id}"),
  ),
];

export const writing: Sequence[] = [...dryRuns, ...validation, ...deletion, ...subresources, ...spaces];
