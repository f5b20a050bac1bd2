import { call, type Sequence, sequence } from "../sequence.ts";
import { maps, namespaces, nodes } from "./kinds.ts";

export const spaces: Sequence[] = [
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
