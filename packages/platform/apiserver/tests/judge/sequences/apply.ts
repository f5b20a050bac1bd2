import { patchTypes } from "../handle.ts";
import { call, type Sequence, sequence } from "../sequence.ts";
import { deployments, maps, pods } from "./kinds.ts";

const spec = (fields: object) => ({ spec: fields as never });
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
