import assert from "node:assert/strict";
import { test } from "node:test";
import { type DefinedKind, k8s } from "@trivium/kube";
import type { Schema } from "@trivium/schema";
import { stringify } from "yaml";
import { upstreamPage } from "../generate-upstream.ts";
import { compareFields } from "./compare.ts";
import { extractRelease } from "./extract.ts";
import type { KindFacts } from "./facts.ts";
import { flattenSchema } from "./flatten.ts";
import { readWithoutEffect } from "./without-effect.ts";

const text: Schema = { type: "string" };
const object = (properties: Record<string, Schema>): Schema => ({ type: "object", properties });
const specOf = (properties: Record<string, Schema>): Schema => object({ spec: object(properties) });
const kindOf = (schema: Schema): DefinedKind =>
  ({ group: "a.example", version: "v1", kind: "Thing", schema }) as DefinedKind;
const factsOf = (schema: Schema): KindFacts => ({
  group: "a.example",
  version: "v1",
  kind: "Thing",
  scope: "Namespaced",
  fields: flattenSchema(schema),
});

test("fields are listed with their types, inside lists and maps too", () => {
  const schema = specOf({
    size: { "x-kubernetes-int-or-string": true },
    count: { type: "integer", format: "int32" },
    parts: { type: "array", items: object({ b: text, a: text }) },
    byName: { type: "object", additionalProperties: object({ a: text }) },
    labels: { type: "object", additionalProperties: text },
    free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
  });
  assert.deepEqual(flattenSchema(schema), {
    spec: "object",
    "spec.byName": "map[object]",
    "spec.byName{}.a": "string",
    "spec.count": "int32",
    "spec.free": "any",
    "spec.labels": "map[string]",
    "spec.parts": "[]object",
    "spec.parts[].a": "string",
    "spec.parts[].b": "string",
    "spec.size": "quantity",
  });
});

test("a type of Kubernetes is one field, also where it is older than ours or among other fields", () => {
  const { procMount: _, ...older } = k8s.SecurityContext.properties ?? {};
  const schema = specOf({
    env: { type: "array", items: k8s.EnvVar },
    securityContext: object(older),
    pod: object({ ...k8s.PodSpec.properties, minReplicas: { type: "integer" } }),
  });
  assert.deepEqual(flattenSchema(schema), {
    spec: "object",
    "spec.env": "[]EnvVar",
    "spec.pod": "PodSpec and more",
    "spec.pod.minReplicas": "integer",
    "spec.securityContext": "SecurityContext",
  });
});

test("each field of the release and of the schema has one state", () => {
  const released = specOf({ a: text, b: text, c: text, inert: object({ x: text }), n: text });
  const ours = specOf({ a: text, inert: object({ x: text }), n: { type: "integer" }, more: object({ y: text }) });
  const rows = compareFields(factsOf(released), kindOf(ours), [{ kind: "ClusterThing", field: "spec.inert" }]);
  assert.deepEqual(
    rows.map(({ field, state, ownType }) => [field, state, ownType].filter(Boolean).join(" ")),
    [
      "spec supported",
      "spec.a supported",
      "spec.b not supported",
      "spec.c not supported",
      "spec.inert no effect",
      "spec.inert.x no effect",
      "spec.more only here",
      "spec.n supported integer",
    ],
  );
});

test("below a field that takes anything every field is accepted", () => {
  const free: Schema = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  const rows = compareFields(
    factsOf(specOf({ a: object({ b: object({ c: text }) }) })),
    kindOf(specOf({ a: free })),
    [],
  );
  assert.deepEqual([...new Set(rows.map(({ state }) => state))], ["supported"]);
});

test("the facts of a release have names and types, and no description", () => {
  const crd = (kind: string, schema: Schema): object => ({
    kind: "CustomResourceDefinition",
    spec: {
      group: "a.example",
      scope: "Cluster",
      names: { kind },
      versions: [
        { name: "v1", storage: false, schema: { openAPIV3Schema: specOf({ old: text }) } },
        { name: "v2", storage: true, schema: { openAPIV3Schema: schema } },
      ],
    },
  });
  const described = specOf({ a: { ...text, description: "Prose." } });
  const facts = extractRelease("v9", [stringify(crd("Other", described)), stringify({ kind: "List" })]);
  const fields = { spec: "object", "spec.a": "string" };
  assert.deepEqual(facts, {
    release: "v9",
    kinds: [{ group: "a.example", version: "v2", kind: "Other", scope: "Cluster", fields }],
  });
  assert.throws(() => extractRelease("v9", ["kind: List"]), /none of the documents/);
});

test("the page names kinds that are not served, and a new field changes it", () => {
  const page = (released: Schema): string =>
    upstreamPage({
      dialect: { name: "ome", kinds: [kindOf(specOf({ a: text }))] },
      facts: { release: "v9", kinds: [factsOf(released), { ...factsOf(released), kind: "Other" }] },
      withoutEffect: [],
    });
  const before = page(specOf({ a: text }));
  assert.match(before, /\| `Other` \| `a.example\/v1` \| not supported \|/);
  assert.match(before, /\| `spec.a` \| `string` \| supported \|/);
  assert.match(page(specOf({ a: text, b: text })), /\| `spec.b` \| `string` \| not supported \|/);
});

test("rows without effect are read from their section only", () => {
  const page =
    "# A\n| `A` | `spec.no` | x |\n## Without effect\n\n| `B` | `spec.yes` | x |\n\n## Next\n| `C` | `spec.no` | x |\n";
  assert.deepEqual(readWithoutEffect(page), [{ kind: "B", field: "spec.yes" }]);
});
