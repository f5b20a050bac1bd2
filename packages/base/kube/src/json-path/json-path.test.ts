import assert from "node:assert/strict";
import { test } from "node:test";
import { evaluateJsonPath } from "./json-path.ts";
import { JsonPathError, parseJsonPath } from "./json-path-parser.ts";

const object = {
  kind: "Pod",
  metadata: { name: "p", labels: { "app.kubernetes.io/name": "web", "a.b": "c" } },
  spec: {
    replicas: 3,
    containers: [
      { name: "one", image: "i1", ports: [{ port: 80 }, { port: 81 }], weight: 1 },
      { name: "two", image: "i2", ports: [{ port: 90 }], weight: 2 },
      { name: "three", image: "i(3)", weight: 3, special: true },
    ],
  },
  status: {
    conditions: [
      { type: "Ready", status: "True", reason: "It's" },
      { type: "Scheduled", status: "False" },
    ],
  },
};

const rows: [string, unknown[]][] = [
  [".metadata.name", ["p"]],
  ["{.metadata.name}", ["p"]],
  ["$.metadata.name", ["p"]],
  ["metadata.name", ["p"]],
  ["{@.metadata.name}", ["p"]],
  [".metadata.labels.app\\.kubernetes\\.io/name", ["web"]],
  [".metadata.labels['app.kubernetes.io/name']", ["web"]],
  [".metadata.labels['app\\.kubernetes\\.io/name']", ["web"]],
  ['.metadata.labels["a.b"]', ["c"]],
  ["['kind']", ["Pod"]],
  [".metadata.nothing", []],
  [".metadata.name.deeper", []],
  [".spec.containers[0].name", ["one"]],
  [".spec.containers[-1].name", ["three"]],
  [".spec.containers[-1:].name", ["three"]],
  [".spec.containers[7].name", []],
  [".spec.containers[-4].name", []],
  [".spec.containers[*].name", ["one", "two", "three"]],
  [".spec.containers[:].name", ["one", "two", "three"]],
  [".spec.containers[0:2].name", ["one", "two"]],
  [".spec.containers[:2].name", ["one", "two"]],
  [".spec.containers[1:].name", ["two", "three"]],
  [".spec.containers[0:3:2].name", ["one", "three"]],
  [".spec.containers[0,2].name", ["one", "three"]],
  [".spec.containers[*]['name','image']", ["one", "two", "three", "i1", "i2", "i(3)"]],
  [".spec.containers[*].ports[*].port", [80, 81, 90]],
  ["..port", [80, 81, 90]],
  [".status.*[0].type", ["Ready"]],
  ['.status.conditions[?(@.type=="Ready")].status', ["True"]],
  [".status.conditions[?(@.type=='Ready')].status", ["True"]],
  ['.status.conditions[?(@.type == "Ready")].status', ["True"]],
  ['.status.conditions[?(@.type!="Ready")].type', ["Scheduled"]],
  ['.status.conditions[?(@.reason=="It\'s")].type', ["Ready"]],
  [".status.conditions[?(@.reason=='It\\'s')].type", ["Ready"]],
  [".spec.containers[?(@.weight>1)].name", ["two", "three"]],
  [".spec.containers[?(@.weight>=2)].name", ["two", "three"]],
  [".spec.containers[?(@.weight<2)].name", ["one"]],
  [".spec.containers[?(@.weight<=2)].name", ["one", "two"]],
  [".spec.containers[?(@.weight=='1')].name", []],
  [".spec.containers[?(@.special)].name", ["three"]],
  [".spec.containers[?(@.special==true)].name", ["three"]],
  ['.spec.containers[?(@.image=="i(3)")].name', ["three"]],
  [".spec.containers[?(@.ports[?(@.port==81)])].name", ["one"]],
  [".spec.containers[?(@.ports[0].port==90)].name", ["two"]],
  [".metadata[?(@.a)]", []],
  [".toString", []],
];

for (const [path, wanted] of rows) {
  test(`JSONPath ${path}`, () => assert.deepEqual(evaluateJsonPath(path, object), wanted));
}

test("the whole object", () => {
  for (const path of [".", "$", "@", "{.}", "{@}"]) assert.deepEqual(evaluateJsonPath(path, object), [object]);
});

for (const path of [".a[", ".a[x]", ".a[?(@.b]", ".a[?(@.b=~1)]", ".a....b", ".a[0:1:0]", ".a]", ".a[]", ".a[-]"]) {
  test(`JSONPath ${path} cannot be read`, () => assert.throws(() => parseJsonPath(path), JsonPathError));
}
