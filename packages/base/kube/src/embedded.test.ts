import assert from "node:assert/strict";
import { test } from "node:test";
import { obj, opt, type Schema, type Static } from "@trivium/schema";
import { k8s } from "./embedded.ts";

/** Every schema inside a schema, once, with where it was found first. */
function walk(
  schema: Schema,
  path: string,
  visit: (schema: Schema, path: string) => void,
  seen = new Set<Schema>(),
): void {
  if (seen.has(schema)) return;
  seen.add(schema);
  visit(schema, path);
  for (const [key, inner] of Object.entries(schema.properties ?? {})) walk(inner, `${path}.${key}`, visit, seen);
  if (schema.items) walk(schema.items, `${path}[]`, visit, seen);
  if (typeof schema.additionalProperties === "object") walk(schema.additionalProperties, `${path}{}`, visit, seen);
}

const allowed = new Set([
  ...[
    "type",
    "format",
    "enum",
    "required",
    "properties",
    "items",
    "additionalProperties",
    "default",
    "pattern",
    "anyOf",
  ],
  ...["minLength", "maxLength", "minimum", "x-kubernetes-int-or-string", "x-kubernetes-preserve-unknown-fields"],
  ...["x-kubernetes-list-type", "x-kubernetes-list-map-keys", "x-kubernetes-map-type"],
]);

for (const [name, schema] of Object.entries(k8s) as [string, Schema][]) {
  test(`${name} may stand in a structural schema`, () => {
    walk(schema, name, (part, path) => {
      for (const keyword of Object.keys(part)) assert.ok(allowed.has(keyword), `${path} has ${keyword}`);
      const isTyped =
        part.type !== undefined || part["x-kubernetes-int-or-string"] || part["x-kubernetes-preserve-unknown-fields"];
      assert.ok(isTyped, `${path} has a type`);
      assert.ok(!(part.properties && part.additionalProperties), `${path} is either an object or a map`);
      for (const key of part["x-kubernetes-list-map-keys"] ?? []) {
        const isSure = part.items?.required?.includes(key) || part.items?.properties?.[key]?.default !== undefined;
        assert.ok(isSure, `${path}: key ${key} is required or has a default`);
      }
    });
  });
}

test("defaults are there only where list maps need them", () => {
  const found: string[] = [];
  walk(k8s.PodSpec, "", (part, path) => {
    if (part.default !== undefined) found.push(`${path}=${JSON.stringify(part.default)}`);
  });
  assert.deepEqual(found, ['.containers[].ports[].protocol="TCP"', '.imagePullSecrets[].name=""']);
});

test("an optional choice may be empty, which Kubernetes reads as not set; a required one may not", () => {
  const { effect, operator } = k8s.Toleration.properties ?? {};
  assert.deepEqual(effect?.enum, ["", "NoExecute", "NoSchedule", "PreferNoSchedule"]);
  assert.equal(operator?.enum?.includes(""), true);
  assert.equal(k8s.Container.properties?.imagePullPolicy?.enum?.includes(""), true);
  assert.equal(k8s.TopologySpreadConstraint.properties?.whenUnsatisfiable?.enum?.includes(""), false);
});

test("equal parts are the same frozen object", () => {
  assert.equal(k8s.PodSpec.properties?.containers?.items, k8s.Container);
  assert.equal(k8s.PodSpec.properties?.initContainers?.items, k8s.Container);
  assert.equal(k8s.PodSpec, k8s.PodSpec);
  assert.throws(() => Object.assign(k8s.Container, { description: "changed" }), TypeError);
});

test("quantities, ports and template metadata take their structural form", () => {
  assert.deepEqual(k8s.ResourceRequirements.properties?.limits?.additionalProperties, k8s.Quantity);
  assert.equal(k8s.Quantity["x-kubernetes-int-or-string"], true);
  assert.match("1.5Gi", new RegExp(k8s.Quantity.pattern ?? ""));
  assert.doesNotMatch("1.5 Gi", new RegExp(k8s.Quantity.pattern ?? ""));
  assert.equal(k8s.HTTPGetAction.properties?.port?.["x-kubernetes-int-or-string"], true);
  assert.deepEqual(Object.keys(k8s.PodTemplateSpec.properties?.metadata?.properties ?? {}).sort(), [
    "annotations",
    "finalizers",
    "generateName",
    "labels",
    "name",
    "namespace",
  ]);
});

test("an embedded schema brings its type along", () => {
  const Spec = obj("", { env: opt(k8s.EnvVar), resources: k8s.ResourceRequirements });
  const value: Static<typeof Spec> = {
    env: { name: "A", value: "b" },
    resources: { limits: { cpu: 1, memory: "1Gi" } },
  };
  // @ts-expect-error a variable has a name
  const wrong: Static<typeof Spec> = { env: { value: "b" }, resources: {} };
  assert.ok(value && wrong);
});
