import { gadgets } from "../fixtures.ts";
import type { Sequence } from "../sequence.ts";
import { family } from "./family.ts";
import { deploymentSpec, deployments, maps } from "./kinds.ts";

const start = maps.create("a", { data: { a: "1", b: "2" }, metadata: { labels: { x: "y" } } });
const json = family("json patch", start, {
  "add, replace, remove": [
    maps.json("a", [
      { op: "add", path: "/data/c", value: "3" },
      { op: "replace", path: "/data/a", value: "9" },
      { op: "remove", path: "/data/b" },
    ]),
  ],
  "test passes": [
    maps.json("a", [
      { op: "test", path: "/data/a", value: "1" },
      { op: "replace", path: "/data/a", value: "2" },
    ]),
  ],
  "test fails": [maps.json("a", [{ op: "test", path: "/data/a", value: "9" }])],
  "test of absent": [
    maps.json("a", [{ op: "test", path: "/data/zz", value: "9" }]),
    maps.json("a", [{ op: "test", path: "/data/zz", value: null }]),
  ],
  "move and copy": [
    maps.json("a", [
      { op: "move", from: "/data/a", path: "/data/z" },
      { op: "copy", from: "/data/b", path: "/data/y" },
    ]),
  ],
  "remove absent": [maps.json("a", [{ op: "remove", path: "/data/nope" }])],
  "remove below absent": [maps.json("a", [{ op: "remove", path: "/nope/deeper" }])],
  "replace absent": [maps.json("a", [{ op: "replace", path: "/data/nope", value: "1" }])],
  "add below absent": [maps.json("a", [{ op: "add", path: "/binaryData/x", value: "eA==" }])],
  "copy absent": [maps.json("a", [{ op: "copy", from: "/data/nope", path: "/data/x" }])],
  "move absent": [maps.json("a", [{ op: "move", from: "/data/nope", path: "/data/x" }])],
  "unknown operation": [maps.json("a", [{ op: "nope", path: "/data/x" }])],
  "no operation": [maps.json("a", [{ path: "/data/x" }])],
  "no path": [maps.json("a", [{ op: "add", value: "1" }]), maps.json("a", [{ op: "remove" }])],
  "no value": [maps.json("a", [{ op: "add", path: "/data/x" }]), maps.json("a", [{ op: "replace", path: "/data/a" }])],
  "not a list": [maps.json("a", { op: "add" }), maps.json("a", "nope"), maps.json("a", "null")],
  empty: [maps.json("a", []), maps.get("a")],
  escapes: [
    maps.json("a", [
      { op: "add", path: "/metadata/labels/x.y~1z", value: "1" },
      { op: "add", path: "/metadata/annotations", value: { "t~l": "1" } },
    ]),
    maps.json("a", [{ op: "remove", path: "/metadata/annotations/t~0l" }]),
  ],
  "whole document": [
    maps.json("a", [
      {
        op: "replace",
        path: "",
        value: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data: { q: "1" } },
      },
    ]),
  ],
  "wrong type after": [
    maps.json("a", [{ op: "replace", path: "/data", value: 5 }]),
    maps.json("a", [{ op: "add", path: "/data/n", value: 5 }]),
  ],
  "list ends": [
    maps.json("a", [{ op: "add", path: "/metadata/finalizers", value: ["a.b/c"] }]),
    maps.json("a", [{ op: "add", path: "/metadata/finalizers/-", value: "a.b/d" }]),
    maps.json("a", [{ op: "add", path: "/metadata/finalizers/0", value: "a.b/e" }]),
    maps.json("a", [{ op: "remove", path: "/metadata/finalizers/7" }]),
    maps.json("a", [{ op: "add", path: "/metadata/finalizers/9", value: "x" }]),
    maps.json("a", [{ op: "add", path: "/metadata/finalizers/x", value: "x" }]),
    maps.json("a", [{ op: "remove", path: "/metadata/finalizers/-1" }]),
    maps.json("a", [{ op: "remove", path: "/metadata/finalizers" }]),
  ],
  "unknown field": [
    maps.json("a", [{ op: "add", path: "/nope", value: 1 }]),
    maps.json("a", [{ op: "add", path: "/nope", value: 1 }], "fieldValidation=Strict"),
  ],
  "absent object": [maps.json("zz", [{ op: "add", path: "/data/x", value: "1" }])],
  "name changes": [maps.json("a", [{ op: "replace", path: "/metadata/name", value: "b" }])],
  "kind changes": [
    maps.json("a", [{ op: "replace", path: "/kind", value: "Nope" }]),
    maps.json("a", [{ op: "remove", path: "/kind" }]),
  ],
  "old resourceVersion": [maps.json("a", [{ op: "replace", path: "/metadata/resourceVersion", value: "1" }])],
  "key in operation twice": [
    maps.json("a", '[{"op":"add","path":"/data/x","value":"1","value":"2"}]'),
    maps.json("a", '[{"op":"add","path":"/data/y","value":"1","value":"2"}]', "fieldValidation=Strict"),
  ],
  "unknown key in operation": [
    maps.json("a", [{ op: "add", path: "/data/x", value: "1", note: "hi" }]),
    maps.json("a", [{ op: "add", path: "/data/y", value: "1", note: "hi" }], "fieldValidation=Strict"),
  ],
});

const merge = family("merge patch", start, {
  "adds, changes, removes": [maps.merge("a", { data: { a: null, b: "3", c: "4" } })],
  "removes a map": [maps.merge("a", { data: null, metadata: { labels: null } })],
  nothing: [maps.merge("a", {}), maps.get("a")],
  "no JSON": [
    maps.merge("a", "nope"),
    maps.merge("a", ""),
    maps.merge("a", "[]"),
    maps.merge("a", "5"),
    maps.merge("a", "null"),
  ],
  "absent object": [maps.merge("zz", {})],
  "wrong type": [maps.merge("a", { data: 5 }), maps.merge("a", { data: { a: 5 } })],
  "unknown field": [
    maps.merge("a", { nope: 1 }),
    maps.merge("a", { nope: 1 }, "fieldValidation=Strict"),
    maps.merge("a", { nope: 1 }, "fieldValidation=Ignore"),
  ],
  "key twice": [
    maps.merge("a", '{"data":{"a":"1","a":"2"}}'),
    maps.merge("a", '{"data":{"a":"1","a":"3"}}', "fieldValidation=Strict"),
  ],
  "identity changes": [
    maps.merge("a", { metadata: { uid: "x" } }),
    maps.merge("a", { metadata: { name: "b" } }),
    maps.merge("a", { metadata: { namespace: "b" } }),
    maps.merge("a", { metadata: { creationTimestamp: null } }),
  ],
  "kind changes": [
    maps.merge("a", { kind: "Nope" }),
    maps.merge("a", { apiVersion: "v2" }),
    maps.merge("a", { kind: null }),
  ],
  "old resourceVersion": [maps.merge("a", { metadata: { resourceVersion: "1" } })],
  "current resourceVersion": [
    maps.merge("a", { metadata: { resourceVersion: "$1.metadata.resourceVersion" }, data: { q: "1" } }),
    maps.merge("a", { metadata: { resourceVersion: "$1.metadata.resourceVersion" }, data: { q: "2" } }),
  ],
  "dry run": [maps.merge("a", { data: { z: "1" } }, "dryRun=All"), maps.get("a")],
  "bad labels": [maps.merge("a", { metadata: { labels: { "a b": "c" } } })],
  "deletion times": [maps.merge("a", { metadata: { deletionTimestamp: "2020-01-01T00:00:00Z", generation: 8 } })],
  "of a custom resource": [
    gadgets.create("a", { spec: { size: 1, words: ["a"] } }),
    gadgets.merge("a", { spec: { size: null, words: ["b", "c"], nested: { level: 4 } } }),
    gadgets.merge("a", { spec: { size: 0 } }),
    gadgets.merge("a", { spec: null }),
  ],
  "of lists replaces them": [
    deployments.create("d", { spec: deploymentSpec }),
    deployments.merge("d", { spec: { template: { spec: { containers: [{ name: "z", image: "z" }] } } } }),
  ],
});

export const patches: Sequence[] = [...json, ...merge];
