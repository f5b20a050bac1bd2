import assert from "node:assert/strict";
import { test } from "node:test";
import { emitEmbedded } from "./generate-kube/emit-embedded.ts";
import { emitThirdPartyApis } from "./generate-kube/emit-third-party.ts";
import { emitKindRows, emitTypes } from "./generate-kube/emit-types.ts";
import type { CrdDocument, Definitions, ResourceRow } from "./generate-kube/facts.ts";
import { chooseNames } from "./generate-kube/names.ts";
import { selectDefinitions } from "./generate-kube/select.ts";

const ref = (name: string) => ({ allOf: [{ $ref: `#/components/schemas/${name}` }] });
const meta = "io.k8s.apimachinery.pkg.apis.meta.v1";
const thing = (group: string, version: string) => ({
  type: "object",
  properties: {
    apiVersion: { type: "string" },
    kind: { type: "string" },
    metadata: ref(`${meta}.ObjectMeta`),
    spec: ref("io.k8s.api.core.v1.PodSpec"),
  },
  "x-kubernetes-group-version-kind": [{ group, version, kind: "Thing" }],
});
const definitions: Definitions = {
  [`${meta}.ObjectMeta`]: { type: "object", properties: { name: { type: "string" } } },
  "io.k8s.api.core.v1.PodSpec": {
    type: "object",
    required: ["mode"],
    properties: {
      mode: { type: "string", enum: ["a", "b"] },
      modes: { type: "array", items: { type: "string", enum: ["a", "b"] } },
      sizes: { type: "object", additionalProperties: { type: "integer" } },
      "odd-name": {},
    },
  },
  "io.k8s.api.other.v1.Thing": thing("other", "v1"),
  "io.k8s.api.other.v2.Thing": thing("other", "v2"),
  "io.k8s.api.more.v1.Thing": thing("more", "v1"),
};
const row = (group: string, version: string): ResourceRow => ({
  group,
  version,
  resource: "things",
  singular: "thing",
  kind: "Thing",
  scope: "Cluster",
  verbs: ["get"],
});
const rows = [row("other", "v1"), row("other", "v2"), row("more", "v1")];

test("names stay short where they can", () => {
  const names = chooseNames(definitions, rows);
  assert.deepEqual(Object.fromEntries(names), {
    "io.k8s.api.other.v2.Thing": "Thing",
    "io.k8s.api.more.v1.Thing": "ThingMoreV1",
    "io.k8s.api.other.v1.Thing": "ThingV1",
    "io.k8s.api.core.v1.PodSpec": "PodSpec",
    [`${meta}.ObjectMeta`]: "ObjectMeta",
  });
});

test("types are readable, and kinds share their head", () => {
  const text = emitTypes(definitions, chooseNames(definitions, rows));
  assert.match(
    text,
    /export interface PodSpec \{\n {2}mode: "a" \| "b";\n {2}modes\?: \("a" \| "b"\)\[\] \| undefined;\n/,
  );
  assert.match(text, /sizes\?: Record<string, number> \| undefined;\n {2}"odd-name"\?: Json \| undefined;/);
  assert.match(text, /export interface Thing extends KubeObject \{\n {2}spec: PodSpec;\n\}/);
  assert.doesNotMatch(text, /interface ObjectMeta/);
});

test("kinds and embedded schemas carry their types", () => {
  const names = chooseNames(definitions, rows);
  const kinds = emitKindRows(definitions, rows, names);
  assert.match(
    kinds,
    /export const ThingV1: Kind<ThingV1> = \{"group":"other","version":"v1","kind":"Thing","plural":"things","namespaced":false\};/,
  );
  assert.match(emitEmbedded(definitions, names), /readonly ObjectMeta: SchemaOf<api.ObjectMeta>;/);
});

test("facts that lack a definition are refused by name", () => {
  assert.throws(() => selectDefinitions(definitions, [row("missing", "v1")]), /no schema of Thing missing\/v1/);
  assert.throws(() => selectDefinitions(definitions, rows), /no definition io\.k8s\.api\.autoscaling\.v1\.Scale/);
});

test("neighbours get the types we know inside their own", () => {
  const container = { type: "object", properties: { mode: { type: "string" }, modes: {}, sizes: {}, "odd-name": {} } };
  const version = (name: string, storage: boolean) => ({
    name,
    storage,
    schema: {
      openAPIV3Schema: {
        properties: {
          spec: { type: "object", properties: { pod: container, size: { "x-kubernetes-int-or-string": true } } },
        },
      },
    },
  });
  const crd: CrdDocument = {
    spec: {
      group: "serving.kserve.io",
      names: { kind: "Runtime", plural: "runtimes" },
      scope: "Namespaced",
      versions: [version("v1alpha1", true), version("v1beta1", false)],
    },
  };
  const text = emitThirdPartyApis([crd], definitions);
  assert.match(text, /export interface KServeRuntime extends KubeObject/);
  assert.match(text, /pod\?: api\.PodSpec \| undefined;\n {4}size\?: number \| string \| undefined;/);
  assert.match(text, /"version":"v1beta1"/);
});
