import { gadgets } from "../fixtures.ts";
import { patchTypes } from "../handle.ts";
import { call, type Sequence, sequence } from "../sequence.ts";
import { deploymentSpec, deployments, maps, podSpec, pods, services } from "./kinds.ts";

const spec = (fields: object) => ({ spec: fields as never });
const owner = (name: string, step: number) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  name,
  uid: `$${step}.metadata.uid`,
});
const container = (fields: object) => ({
  spec: {
    selector: { matchLabels: { app: "a" } },
    template: { metadata: { labels: { app: "a" } }, spec: { containers: [fields as never] } },
  },
});
const raw = (path: string, body: string, type = patchTypes.apply as string) =>
  call("PATCH", path, body, { "content-type": type });

/** Server-side apply: who owns what, who may change it, what goes when its last owner lets go. */
export const apply: Sequence[] = [
  sequence("apply/create", maps.apply("a", { data: { a: "1" } }), maps.get("a")),
  sequence(
    "apply/again changes nothing",
    maps.apply("a", { data: { a: "1" } }),
    maps.apply("a", { data: { a: "1" } }),
    maps.get("a"),
  ),
  sequence(
    "apply/removed field goes",
    maps.apply("a", { data: { a: "1", b: "2" } }),
    maps.apply("a", { data: { a: "1" } }),
    maps.get("a"),
  ),
  sequence("apply/everything removed", maps.apply("a", { data: { a: "1" } }), maps.apply("a", {}), maps.get("a")),
  sequence(
    "apply/two owners of one field",
    maps.apply("a", { data: { a: "1" } }, "one"),
    maps.apply("a", { data: { a: "1" } }, "two"),
    maps.apply("a", {}, "one"),
    maps.apply("a", {}, "two"),
  ),
  sequence(
    "apply/conflict",
    maps.apply("a", { data: { a: "1" } }, "one"),
    maps.apply("a", { data: { a: "2" } }, "two"),
    maps.get("a"),
  ),
  sequence(
    "apply/conflict on two fields",
    maps.apply("a", { data: { a: "1", b: "1" } }, "one"),
    maps.apply("a", { data: { a: "2", b: "2" } }, "two"),
  ),
  sequence(
    "apply/conflict with two managers",
    maps.apply("a", { data: { a: "1" } }, "one"),
    maps.apply("a", { data: { b: "1" } }, "two"),
    maps.apply("a", { data: { a: "2", b: "2" } }, "three"),
  ),
  sequence(
    "apply/conflict forced",
    maps.apply("a", { data: { a: "1" } }, "one"),
    maps.force("a", { data: { a: "2" } }, "two"),
    maps.apply("a", { data: { a: "1" } }, "one"),
    maps.apply("a", {}, "one"),
  ),
  sequence(
    "apply/conflict with an update",
    maps.create("a", { data: { a: "1" } }),
    maps.apply("a", { data: { a: "2" } }, "one"),
    maps.force("a", { data: { a: "2" } }, "one"),
  ),
  sequence(
    "apply/after update with same value",
    maps.create("a", { data: { a: "1" } }),
    maps.apply("a", { data: { a: "1" } }, "one"),
    maps.apply("a", {}, "one"),
    maps.get("a"),
  ),
  sequence(
    "apply/update takes a field",
    maps.apply("a", { data: { a: "1" } }, "one"),
    maps.put("a", { data: { a: "2" } }),
    maps.apply("a", { data: { a: "1" } }, "one"),
  ),
  sequence(
    "apply/update removes a field",
    maps.apply("a", { data: { a: "1", b: "2" } }, "one"),
    maps.put("a", { data: { a: "1" } }),
    maps.apply("a", { data: { a: "1" } }, "one"),
  ),
  sequence(
    "apply/patch takes a field",
    maps.apply("a", { data: { a: "1" } }, "one"),
    maps.merge("a", { data: { a: "2" } }),
    maps.json("a", [{ op: "add", path: "/data/b", value: "x" }]),
    maps.apply("a", { data: { a: "2", b: "y" } }, "one"),
  ),
  sequence(
    "apply/without a manager",
    call("PATCH", maps.at("a"), maps.object("a"), { "content-type": patchTypes.apply }),
  ),
  sequence("apply/manager too long", maps.apply("a", {}, "m".repeat(129))),
  sequence("apply/manager with odd characters", maps.apply("a", {}, "m%01")),
  sequence(
    "apply/force elsewhere",
    maps.create("a"),
    maps.merge("a", {}, "force=true"),
    maps.put("a", {}, "force=true"),
  ),
  sequence("apply/force that is no bool", maps.apply("a", {}, "one", "force=maybe")),
  sequence("apply/name of body differs", raw(maps.at("a", "fieldManager=one"), JSON.stringify(maps.object("b")))),
  sequence(
    "apply/name of body missing",
    raw(maps.at("a", "fieldManager=one"), JSON.stringify({ apiVersion: "v1", kind: "ConfigMap" })),
  ),
  sequence(
    "apply/kind missing",
    raw(maps.at("a", "fieldManager=one"), JSON.stringify({ apiVersion: "v1", metadata: { name: "a" } })),
    raw(maps.at("a", "fieldManager=one"), JSON.stringify({ metadata: { name: "a" } })),
  ),
  sequence(
    "apply/kind differs",
    raw(
      maps.at("a", "fieldManager=one"),
      JSON.stringify({ apiVersion: "v1", kind: "Secret", metadata: { name: "a" } }),
    ),
    maps.apply("a", {}),
    raw(
      maps.at("a", "fieldManager=one"),
      JSON.stringify({ apiVersion: "v1", kind: "Secret", metadata: { name: "a" } }),
    ),
  ),
  sequence("apply/no YAML", raw(maps.at("a", "fieldManager=one"), "{a: [")),
  sequence("apply/a list", raw(maps.at("a", "fieldManager=one"), "[]"), raw(maps.at("a", "fieldManager=one"), "")),
  sequence(
    "apply/YAML",
    raw(maps.at("a", "fieldManager=one"), "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  x: 'yes'\n"),
  ),
  sequence(
    "apply/YAML key twice",
    raw(
      maps.at("a", "fieldManager=one"),
      "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  x: '1'\n  x: '2'\n",
    ),
    raw(
      maps.at("b", "fieldManager=one&fieldValidation=Strict"),
      "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: b\ndata:\n  x: '1'\n  x: '2'\n",
    ),
  ),
  sequence(
    "apply/managedFields given",
    maps.apply("a", {
      metadata: {
        managedFields: [{ manager: "x", operation: "Apply", apiVersion: "v1", fieldsType: "FieldsV1", fieldsV1: {} }],
      },
    }),
    maps.apply("b", { metadata: { managedFields: [] } }),
  ),
  sequence(
    "apply/resourceVersion given",
    maps.apply("a", { data: { a: "1" } }),
    maps.apply("a", { metadata: { resourceVersion: "$1.metadata.resourceVersion" }, data: { a: "2" } }),
    maps.apply("a", { metadata: { resourceVersion: "$1.metadata.resourceVersion" }, data: { a: "3" } }),
  ),
  sequence("apply/resourceVersion given on create", maps.apply("a", { metadata: { resourceVersion: "1" } })),
  sequence(
    "apply/uid given",
    maps.apply("a", { data: { a: "1" } }),
    maps.apply("a", { metadata: { uid: "$1.metadata.uid" } }),
    maps.apply("a", { metadata: { uid: "22222222-2222-2222-2222-222222222222" } }),
  ),
  sequence("apply/uid given on create", maps.apply("a", { metadata: { uid: "22222222-2222-2222-2222-222222222222" } })),
  sequence(
    "apply/unknown field",
    maps.apply("a", { nope: 1 }),
    maps.apply("b", { nope: 1 }, "one", "fieldValidation=Strict"),
    maps.apply("c", { nope: 1 }, "one", "fieldValidation=Ignore"),
  ),
  sequence(
    "apply/field of wrong type",
    maps.apply("a", { data: { a: 1 } }),
    maps.apply("a", { data: "x" }),
    deployments.apply("a", spec({ replicas: "x" })),
  ),
  sequence("apply/null value", maps.apply("a", { data: { a: null } }), maps.get("a"), maps.apply("a", { data: null })),
  sequence(
    "apply/labels of two managers",
    maps.apply("a", { metadata: { labels: { a: "1" } } }, "one"),
    maps.apply("a", { metadata: { labels: { b: "1" } } }, "two"),
    maps.apply("a", {}, "one"),
    maps.get("a"),
  ),
  sequence(
    "apply/annotations and finalizers",
    maps.apply("a", { metadata: { annotations: { a: "1" }, finalizers: ["a.b/c"] } }, "one"),
    maps.apply("a", { metadata: { finalizers: ["d.e/f"] } }, "two"),
    maps.apply("a", {}, "one"),
    maps.merge("a", { metadata: { finalizers: null } }),
  ),
  sequence(
    "apply/owner references merge by uid",
    maps.create("x"),
    maps.create("y"),
    maps.apply("a", { metadata: { ownerReferences: [owner("x", 1)] } }, "one"),
    maps.apply("a", { metadata: { ownerReferences: [owner("y", 2)] } }, "two"),
    maps.apply("a", {}, "one"),
  ),
  sequence(
    "apply/deployment",
    deployments.apply("a", container({ name: "main", image: "nginx" })),
    deployments.apply("a", container({ name: "main", image: "nginx:2" })),
    deployments.get("a"),
  ),
  sequence(
    "apply/containers of two managers",
    deployments.apply("a", container({ name: "main", image: "nginx" }), "one"),
    deployments.apply(
      "a",
      { spec: { template: { spec: { containers: [{ name: "side", image: "busybox" }] } } } },
      "two",
    ),
    deployments.apply("a", { spec: { template: { spec: { containers: [{ name: "main", image: "other" }] } } } }, "two"),
    deployments.get("a"),
  ),
  sequence(
    "apply/env of two managers",
    deployments.apply("a", container({ name: "main", image: "nginx", env: [{ name: "A", value: "1" }] }), "one"),
    deployments.apply(
      "a",
      { spec: { template: { spec: { containers: [{ name: "main", env: [{ name: "B", value: "2" }] }] } } } },
      "two",
    ),
    deployments.apply("a", container({ name: "main", image: "nginx" }), "one"),
  ),
  sequence(
    "apply/ports with defaulted key",
    deployments.apply("a", container({ name: "main", image: "nginx", ports: [{ containerPort: 80 }] }), "one"),
    deployments.apply(
      "a",
      container({ name: "main", image: "nginx", ports: [{ containerPort: 80, protocol: "UDP" }] }),
      "one",
    ),
    deployments.get("a"),
  ),
  sequence(
    "apply/duplicate list-map item",
    deployments.apply(
      "a",
      container({ name: "main", image: "nginx", ports: [{ containerPort: 80 }, { containerPort: 80 }] }),
    ),
  ),
  sequence("apply/list-map item without key", deployments.apply("a", container({ image: "nginx" }))),
  sequence(
    "apply/replicas handed over",
    deployments.apply("a", { spec: { ...deploymentSpec, replicas: 3 } }, "one"),
    deployments.merge("a/scale", { spec: { replicas: 5 } }, "fieldManager=scaler"),
    deployments.apply("a", { spec: { ...deploymentSpec, replicas: 3 } }, "one"),
    deployments.apply("a", { spec: deploymentSpec }, "one"),
    deployments.get("a"),
  ),
  sequence(
    "apply/atomic selector",
    deployments.apply("a", { spec: deploymentSpec }, "one"),
    deployments.apply("a", { spec: { selector: { matchLabels: { app: "a", b: "c" } } } }, "two"),
  ),
  sequence(
    "apply/service ports",
    services.apply("a", spec({ ports: [{ port: 80, name: "http" }] }), "one"),
    services.apply("a", spec({ ports: [{ port: 443, name: "https" }] }), "two"),
    services.apply("a", spec({ ports: [{ port: 80, name: "http", targetPort: 8080 }] }), "one"),
    services.apply("a", spec({}), "one"),
  ),
  sequence(
    "apply/pod",
    pods.apply("a", { spec: podSpec }),
    pods.apply("a", { spec: { containers: [{ name: "main", image: "nginx:2" }] } }),
    pods.apply("a", { spec: { containers: [{ name: "main", image: "nginx:2" }], nodeName: "x" } }),
  ),
  sequence(
    "apply/dry run",
    maps.apply("a", { data: { a: "1" } }, "one", "dryRun=All"),
    maps.get("a"),
    maps.apply("a", { data: { a: "1" } }),
    maps.apply("a", { data: { a: "2" } }, "one", "dryRun=All"),
    maps.get("a"),
  ),
  sequence(
    "apply/status through the main path",
    deployments.apply("a", { spec: deploymentSpec, status: { replicas: 7 } }),
    deployments.get("a"),
  ),
  sequence(
    "apply/status through its own path",
    deployments.create("a", { spec: deploymentSpec }),
    deployments.apply("a/status", { status: { replicas: 7 } }),
    deployments.apply("a/status", { spec: { replicas: 9 }, status: { replicas: 8 } }),
    deployments.get("a"),
  ),
  sequence(
    "apply/status of an absent object",
    deployments.apply("a/status", { status: { replicas: 7 } }),
    gadgets.apply("a/status", { status: { replicas: 7 } }),
  ),
  sequence(
    "apply/conditions of two managers",
    gadgets.apply("a", {}),
    gadgets.apply("a/status", { status: { conditions: [{ type: "A", status: "True" }] } }, "one"),
    gadgets.apply("a/status", { status: { conditions: [{ type: "B", status: "True" }] } }, "two"),
    gadgets.apply("a/status", { status: {} }, "one"),
    gadgets.get("a"),
  ),
  sequence("apply/custom: create", gadgets.apply("a", spec({ size: 3 })), gadgets.get("a")),
  sequence(
    "apply/custom: set of two managers",
    gadgets.apply("a", spec({ tags: ["x", "y"] }), "one"),
    gadgets.apply("a", spec({ tags: ["y", "z"] }), "two"),
    gadgets.apply("a", spec({ tags: ["x"] }), "one"),
    gadgets.apply("a", spec({}), "two"),
  ),
  sequence("apply/custom: set with duplicates", gadgets.apply("a", spec({ tags: ["x", "x"] }))),
  sequence(
    "apply/custom: set order",
    gadgets.apply("a", spec({ tags: ["c", "a"] }), "one"),
    gadgets.apply("a", spec({ tags: ["b", "a"] }), "two"),
    gadgets.apply("a", spec({ tags: ["a", "c"] }), "one"),
  ),
  sequence(
    "apply/custom: plain list is atomic",
    gadgets.apply("a", spec({ words: ["x"] }), "one"),
    gadgets.apply("a", spec({ words: ["y"] }), "two"),
    gadgets.force("a", spec({ words: ["y"] }), "two"),
    gadgets.apply("a", spec({}), "two"),
  ),
  sequence(
    "apply/custom: atomic map",
    gadgets.apply("a", spec({ atom: { a: "1" } }), "one"),
    gadgets.apply("a", spec({ atom: { b: "1" } }), "two"),
    gadgets.force("a", spec({ atom: { b: "1" } }), "two"),
    gadgets.get("a"),
  ),
  sequence(
    "apply/custom: list-map with default key",
    gadgets.apply("a", spec({ ports: [{ number: 1 }] }), "one"),
    gadgets.apply("a", spec({ ports: [{ number: 1, protocol: "TCP", name: "x" }] }), "two"),
    gadgets.apply("a", spec({ ports: [{ number: 1, protocol: "UDP" }] }), "one"),
    gadgets.apply("a", spec({}), "two"),
  ),
  sequence(
    "apply/custom: list-map duplicates",
    gadgets.apply("a", spec({ ports: [{ number: 1 }, { number: 1, protocol: "TCP" }] })),
  ),
  sequence("apply/custom: list-map key missing", gadgets.apply("a", spec({ ports: [{ name: "x" }] }))),
  sequence(
    "apply/custom: list-map order",
    gadgets.apply("a", spec({ ports: [{ number: 3 }, { number: 1 }] }), "one"),
    gadgets.apply("a", spec({ ports: [{ number: 2 }, { number: 1 }] }), "two"),
    gadgets.apply("a", spec({ ports: [{ number: 1 }, { number: 3 }] }), "one"),
  ),
  sequence(
    "apply/custom: map of two managers",
    gadgets.apply("a", spec({ settings: { a: 1 } }), "one"),
    gadgets.apply("a", spec({ settings: { b: 2 } }), "two"),
    gadgets.apply("a", spec({ settings: { a: 2, b: 3 } }), "three"),
    gadgets.apply("a", spec({ settings: {} }), "one"),
    gadgets.apply("a", spec({}), "two"),
  ),
  sequence(
    "apply/custom: free-form object",
    gadgets.apply("a", spec({ free: { x: { y: 1 }, l: [1, 2] } }), "one"),
    gadgets.apply("a", spec({ free: { x: { z: 1 }, l: [3] } }), "two"),
    gadgets.apply("a", spec({ free: { x: { z: 2 } } }), "two"),
    gadgets.apply("a", spec({}), "one"),
  ),
  sequence(
    "apply/custom: unknown field",
    gadgets.apply("a", spec({ nope: 1, size: 2 })),
    gadgets.apply("b", spec({ nope: 1 }), "one", "fieldValidation=Strict"),
    gadgets.get("a"),
  ),
  sequence("apply/custom: wrong type", gadgets.apply("a", spec({ size: "x" })), gadgets.apply("a", { spec: [] })),
  sequence(
    "apply/custom: default comes back",
    gadgets.apply("a", spec({ replicas: 5 })),
    gadgets.apply("a", spec({})),
    gadgets.get("a"),
  ),
  sequence("apply/custom: null", gadgets.apply("a", spec({ size: null, nothing: null })), gadgets.get("a")),
  sequence(
    "apply/custom: status dropped on the main path",
    gadgets.apply("a", { spec: { size: 1 }, status: { phase: "New" } }),
    gadgets.apply("a/status", { status: { phase: "Done" } }, "one"),
    gadgets.apply("a", { spec: { size: 1 } }, "one"),
    gadgets.get("a"),
  ),
  sequence(
    "apply/custom: spec dropped on the status path",
    gadgets.apply("a", { spec: { size: 1 } }),
    gadgets.apply("a/status", { spec: { size: 2 }, status: { phase: "Done" } }, "one"),
    gadgets.get("a"),
  ),
  sequence(
    "apply/custom: invalid after merge",
    gadgets.apply("a", spec({ low: 5 }), "one"),
    gadgets.apply("a", spec({ high: 3 }), "two"),
    gadgets.get("a"),
  ),
  sequence(
    "apply/custom: update after apply",
    gadgets.apply("a", spec({ size: 1, tags: ["x"] }), "one"),
    gadgets.put("a", {
      metadata: { resourceVersion: "$1.metadata.resourceVersion" },
      spec: { size: 2, tags: ["x", "y"] },
    }),
    gadgets.apply("a", spec({ size: 1, tags: ["x"] }), "one"),
    gadgets.apply("a", spec({ tags: ["x"] }), "one"),
  ),
  sequence(
    "apply/managedFields cleared",
    maps.apply("a", { data: { a: "1" } }),
    maps.merge("a", { metadata: { managedFields: [{}] } }),
    maps.apply("a", { data: { a: "2" } }, "two"),
  ),
  sequence(
    "apply/managedFields emptied by null",
    maps.apply("a", { data: { a: "1" } }),
    maps.merge("a", { metadata: { managedFields: null } }),
    maps.get("a"),
  ),
  sequence(
    "apply/managedFields broken by update",
    maps.create("a", { metadata: { managedFields: [{ manager: "x", operation: "Nope" }] } }),
    maps.create("b", {
      metadata: { managedFields: [{ manager: "x", operation: "Update", fieldsType: "X", apiVersion: "v1" }] },
    }),
  ),
  sequence(
    "apply/last-applied of kubectl",
    maps.create(
      "a",
      {
        metadata: {
          annotations: {
            "kubectl.kubernetes.io/last-applied-configuration":
              '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"a":"1"}}\n',
          },
        },
        data: { a: "1" },
      },
      "fieldManager=kubectl-client-side-apply",
    ),
    maps.apply("a", { data: { a: "2" } }, "kubectl"),
    maps.get("a"),
  ),
  sequence(
    "apply/generateName",
    raw(
      maps.at("a", "fieldManager=one"),
      JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { generateName: "a-" } }),
    ),
  ),
  sequence("apply/bad name", maps.apply("A_B", {})),
  sequence("apply/namespace differs", maps.apply("a", { metadata: { namespace: "other" } })),
  sequence(
    "apply/in absent namespace",
    raw("/api/v1/namespaces/{id}-none/configmaps/a?fieldManager=one", JSON.stringify(maps.object("a"))),
  ),
  sequence(
    "apply/after an empty list was written",
    deployments.create("a", container({ name: "main", image: "i:1" })),
    deployments.put("a", container({ name: "side", image: "i:1", ports: [] }), "fieldManager=one"),
    deployments.force("a", { ...container({ name: "side", image: "i:1" }), metadata: { annotations: { c: "x" } } }),
  ),
  sequence("apply/invalid object", deployments.apply("a", spec({ replicas: -1 })), pods.apply("a", spec({}))),
];
