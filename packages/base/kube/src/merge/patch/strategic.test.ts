import assert from "node:assert/strict";
import { test } from "node:test";
import type { Schema } from "@trivium/schema";
import { deepFreeze, type Json, type JsonObject } from "@trivium/std";
import { builtInSchema } from "../../built-in.ts";
import { PatchError } from "./patch-error.ts";
import { applyStrategicMergePatch } from "./strategic.ts";

const deployments = builtInSchema("apps", "v1", "Deployment") as Schema;
const services = builtInSchema("", "v1", "Service") as Schema;

/** A Deployment with this pod spec. */
const podded = (spec: JsonObject): JsonObject => ({ spec: { template: { spec } } });
const named = (...names: string[]) => names.map((name) => ({ name }));

const rows: [string, JsonObject, JsonObject, JsonObject][] = [
  [
    "scalars and maps merge",
    { spec: { replicas: 1, paused: true } },
    { spec: { replicas: 2 } },
    { spec: { replicas: 2, paused: true } },
  ],
  [
    "null deletes",
    { spec: { replicas: 1, paused: true } },
    { spec: { paused: null, template: null } },
    { spec: { replicas: 1 } },
  ],
  [
    "items merge by their key",
    podded({ containers: [{ name: "a", image: "1", tty: true }] }),
    podded({ containers: [{ name: "a", image: "2" }] }),
    podded({ containers: [{ name: "a", image: "2", tty: true }] }),
  ],
  [
    "new items come first, in the order of the patch",
    podded({ containers: named("a") }),
    podded({ containers: [{ name: "b", image: null }, { name: "c" }] }),
    podded({ containers: named("b", "c", "a") }),
  ],
  [
    "items of the patch keep its order around those of the server",
    podded({ containers: named("a", "b", "c") }),
    podded({ containers: named("c", "a") }),
    podded({ containers: named("b", "c", "a") }),
  ],
  [
    "lists of lists of keys merge all the way down",
    podded({ containers: [{ name: "a", env: [{ name: "X", value: "1" }] }] }),
    podded({ containers: [{ name: "a", env: [{ name: "Y", value: "2" }] }] }),
    podded({
      containers: [
        {
          name: "a",
          env: [
            { name: "Y", value: "2" },
            { name: "X", value: "1" },
          ],
        },
      ],
    }),
  ],
  [
    "lists without a merge key are replaced",
    podded({ containers: [{ name: "a", args: ["x", "y"] }] }),
    podded({ containers: [{ name: "a", args: ["z"] }] }),
    podded({ containers: [{ name: "a", args: ["z"] }] }),
  ],
  [
    "an item is deleted by its key",
    podded({ containers: named("a", "b") }),
    podded({ containers: [{ name: "a", $patch: "delete" }] }),
    podded({ containers: named("b") }),
  ],
  [
    "a list is replaced by directive",
    podded({ containers: named("a", "b") }),
    podded({ containers: [{ name: "c" }, { $patch: "replace" }] }),
    podded({ containers: named("c") }),
  ],
  [
    "a map is replaced by directive",
    { spec: { selector: { matchLabels: { a: "b" } } } },
    { spec: { selector: { $patch: "replace", matchExpressions: [] } } },
    { spec: { selector: { matchExpressions: [] } } },
  ],
  [
    "a map is emptied by directive",
    { spec: { strategy: { type: "Recreate" } } },
    { spec: { strategy: { $patch: "delete" } } },
    { spec: { strategy: {} } },
  ],
  [
    "an item is replaced by directive of its list only",
    podded({ volumes: [{ name: "v", emptyDir: {} }] }),
    podded({ volumes: [{ name: "v", hostPath: { path: "/" }, $retainKeys: ["name", "hostPath"] }] }),
    podded({ volumes: [{ name: "v", hostPath: { path: "/" } }] }),
  ],
  [
    "keys are retained",
    { spec: { strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1 } } } },
    { spec: { strategy: { $retainKeys: ["type"], type: "Recreate" } } },
    { spec: { strategy: { type: "Recreate" } } },
  ],
  [
    "scalars merge as a set",
    { metadata: { finalizers: ["a", "b"] } },
    { metadata: { finalizers: ["c", "a"] } },
    { metadata: { finalizers: ["c", "a", "b"] } },
  ],
  [
    "scalars are deleted",
    { metadata: { finalizers: ["a", "b", "c"] } },
    { metadata: { "$deleteFromPrimitiveList/finalizers": ["a", "c", "x"] } },
    { metadata: { finalizers: ["b"] } },
  ],
  [
    "scalars are deleted from nothing",
    { metadata: {} },
    { metadata: { "$deleteFromPrimitiveList/finalizers": ["a"] } },
    { metadata: {} },
  ],
  [
    "an order is set",
    podded({ containers: named("a", "b", "c") }),
    podded({ "$setElementOrder/containers": named("c", "a") }),
    podded({ containers: named("b", "c", "a") }),
  ],
  [
    "an order is set while items change",
    podded({ containers: named("a", "b") }),
    podded({
      "$setElementOrder/containers": named("c", "b", "a"),
      containers: [{ name: "c" }, { name: "a", image: "1" }],
    }),
    podded({ containers: [{ name: "c" }, { name: "b" }, { name: "a", image: "1" }] }),
  ],
  [
    "an order of scalars is set",
    { metadata: { finalizers: ["a", "b"] } },
    { metadata: { "$setElementOrder/finalizers": ["b", "a"] } },
    { metadata: { finalizers: ["b", "a"] } },
  ],
  [
    "an order of nothing is nothing",
    { metadata: {} },
    { metadata: { "$setElementOrder/finalizers": ["b", "a"] } },
    { metadata: {} },
  ],
  [
    "an order of what is added",
    podded({}),
    podded({ "$setElementOrder/containers": named("b", "a"), containers: named("b", "a") }),
    podded({ containers: named("b", "a") }),
  ],
  [
    "directives in what is added are dropped",
    {},
    podded({
      containers: [
        { name: "a", $patch: "delete" },
        { name: "b", env: null },
      ],
    }),
    podded({ containers: named("b") }),
  ],
  [
    "another kind of value replaces",
    { spec: { strategy: "x" } },
    { spec: { strategy: { type: "Recreate" } } },
    { spec: { strategy: { type: "Recreate" } } },
  ],
  [
    "labels merge",
    { metadata: { labels: { a: "1", b: "2" } } },
    { metadata: { labels: { a: null, c: "3" } } },
    { metadata: { labels: { b: "2", c: "3" } } },
  ],
  [
    "a map with free keys is replaced by directive",
    { metadata: { labels: { a: "1" } } },
    { metadata: { labels: { $patch: "replace", c: "3" } } },
    { metadata: { labels: { c: "3" } } },
  ],
];

for (const [name, target, patch, wanted] of rows) {
  test(`strategic merge patch: ${name}`, () => {
    assert.deepEqual(applyStrategicMergePatch(deepFreeze(target), deepFreeze(patch), deployments), wanted);
  });
}

test("strategic merge patch: keys may be numbers", () => {
  const live = {
    spec: {
      ports: [
        { port: 80, name: "a" },
        { port: 81, name: "b" },
      ],
    },
  };
  const patch = {
    spec: {
      ports: [
        { port: 81, $patch: "delete" },
        { port: 80, targetPort: "x" },
      ],
    },
  };
  assert.deepEqual(applyStrategicMergePatch(live, patch, services), {
    spec: { ports: [{ port: 80, name: "a", targetPort: "x" }] },
  });
});

test("strategic merge patch: nothing is patched by null", () => {
  const live = { spec: {} };
  assert.equal(applyStrategicMergePatch(live, null, deployments), live);
});

/** Answers of kube-apiserver v1.36. */
const refused: [JsonObject, Json, 400 | 422 | 500, string][] = [
  [{}, [], 400, "json: cannot unmarshal array into Go value of type map[string]interface {}"],
  [{}, { spec: {}, $patch: "x" }, 500, "unknown patch type: x in map: map[$patch:x spec:map[]]"],
  [{}, { $patch: null }, 500, "unknown patch type: %!s(<nil>) in map: map[$patch:<nil>]"],
  [
    podded({ containers: named("a") }),
    podded({ containers: [{ image: "x" }] }),
    500,
    "map: map[image:x] does not contain declared merge key: name",
  ],
  [
    podded({ containers: named("a") }),
    podded({ containers: [{ name: "a", $patch: "merge" }] }),
    500,
    "merging lists cannot yet be specified in the patch",
  ],
  [
    { metadata: { finalizers: ["a"] } },
    { metadata: { finalizers: [["a"]] } },
    500,
    "list element types are not identical: [[a] [[a]]]",
  ],
  [
    { metadata: { finalizers: [] } },
    { metadata: { finalizers: [["a"]] } },
    422,
    "the server rejected our request due to an error in our request",
  ],
  [
    { spec: { strategy: {} } },
    { spec: { strategy: { $retainKeys: "type" } } },
    400,
    "invalid patch format of retainKeys",
  ],
  [
    { spec: { strategy: {} } },
    { spec: { strategy: { $retainKeys: ["type"], rollingUpdate: {} } } },
    400,
    "invalid patch format of retainKeys",
  ],
  [{ metadata: {} }, { metadata: { $deleteFromPrimitiveList: ["a"] } }, 400, "invalid patch format of primitive list"],
  [{ metadata: {} }, { metadata: { $setElementOrder: ["a"] } }, 400, "invalid patch format of setElementOrder list"],
  [
    { metadata: {} },
    { metadata: { "$setElementOrder/finalizers": null } },
    500,
    "expected a []interface {}, but received a %!s(<nil>)",
  ],
  [
    podded({ containers: named("a", "b") }),
    podded({ "$setElementOrder/containers": named("a", "b"), containers: named("b", "a") }),
    500,
    "The order in patch list:\n[map[name:b] map[name:a]]\n doesn't match $setElementOrder list:\n[map[name:a] map[name:b]]\n",
  ],
];

for (const [target, patch, code, message] of refused) {
  test(`strategic merge patch refuses ${JSON.stringify(patch)}`, () => {
    assert.throws(
      () => applyStrategicMergePatch(target, patch, deployments),
      (error) => error instanceof PatchError && error.code === code && error.message === message,
    );
  });
}
