import assert from "node:assert/strict";
import { test } from "node:test";
import { type AnyObject, ApiError, definitionNameOf } from "@trivium/kube";
import type { Json } from "@trivium/std";
import fc from "fast-check";
import type { Resource, StrategyContext } from "../resource.ts";
import { builtInResources } from "./index.ts";
import { type Shape, structOf } from "./wire/shape.ts";

const context: StrategyContext = {
  now: 0,
  allocateClusterIp: (wanted) => wanted ?? "10.0.0.1",
  allocateNodePort: (wanted) => wanted ?? 30000,
};

/** Values of a type with about everything left out now and then, and texts that matter to someone. */
function arbitraryOf(shape: Shape, depth: number): fc.Arbitrary<Json> {
  switch (shape.is) {
    case "string":
      return fc.constantFrom(
        "",
        "a",
        "A_",
        "RollingUpdate",
        "Always",
        "Never",
        "ClusterIP",
        "NodePort",
        "In",
        "1%",
        "x/y",
        "None",
        "../a",
      );
    case "bytes":
      return fc.constantFrom("", "aGk=");
    case "bool":
      return fc.boolean();
    case "int32":
    case "int64":
    case "float64":
      return fc.constantFrom(0, 1, -1, 80, 70000);
    case "time":
      return fc.constantFrom("2026-01-01T00:00:00Z");
    case "microTime":
      return fc.constantFrom("2026-01-01T00:00:00.000001Z");
    case "quantity":
      return fc.constantFrom("1", "500m", "-1", "1Gi", 0.5, 0);
    case "intOrString":
      return fc.constantFrom("25%", "http", "", 0, 1, -1);
    case "free":
    case "schemaOrElse":
      return fc.constantFrom<Json>({}, { a: [null] }, true);
    case "list":
      return fc.array(arbitraryOf(shape.inner, depth - 1), { maxLength: depth > 0 ? 2 : 0 });
    case "map":
      return fc.dictionary(
        fc.constantFrom("a", "cpu", "storage", "amd.com/gpu", "bad key"),
        arbitraryOf(shape.inner, depth - 1),
        { maxKeys: 2 },
      );
    case "struct": {
      if (depth <= 0) return fc.constant({});
      const fields = [...shape.fields].filter(([name]) => name !== "managedFields");
      const parts = fields.map(([name, field]) => [name, arbitraryOf(field.shape, depth - 1)]);
      return fc.record(Object.fromEntries(parts), { requiredKeys: [] }) as fc.Arbitrary<Json>;
    }
  }
}

function judge(resource: Resource, given: AnyObject, old?: AnyObject): void {
  const object = structuredClone(given);
  object.metadata ??= {};
  try {
    resource.strategy.prune(object);
    resource.strategy.applyDefaults(object, old);
    if (old === undefined) resource.strategy.prepareForCreate?.(object, context);
    else resource.strategy.prepareForUpdate?.(object, old, context);
    const faults = resource.strategy.validate(object, old);
    resource.strategy.validateStatus?.(object, old ?? object);
    resource.strategy.warnings?.(object);
    if (faults.length === 0) assert.equal(resource.cells(object, 0).length, resource.columns.length);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
  }
}

for (const resource of builtInResources()) {
  const definition = definitionNameOf(resource.group, resource.version, resource.kind) ?? "";
  const shape = structOf(definition);

  test(`${resource.kind} ${resource.group}/${resource.version}: whatever is written, there is an answer`, () => {
    const objects = arbitraryOf(shape, 7) as unknown as fc.Arbitrary<AnyObject>;
    fc.assert(
      fc.property(objects, (object) => judge(resource, object)),
      { numRuns: 60 },
    );
    // An update sees a stored object beside the new one: one that went through everything itself.
    fc.assert(
      fc.property(objects, objects, (object, before) => {
        const old = structuredClone(before);
        old.metadata ??= {};
        resource.strategy.prune(old);
        resource.strategy.applyDefaults(old);
        judge(resource, object, old);
      }),
      { numRuns: 30 },
    );
  });

  test(`${resource.kind} ${resource.group}/${resource.version}: any JSON at all in any field is decoded or refused`, () => {
    const anything = fc.constantFrom<Json>(null, true, 5, "text", [], {}, [null], [{}], { a: 1 });
    const fields = fc.dictionary(fc.constantFrom(...shape.fields.keys(), "unknown", "__proto__"), anything);
    fc.assert(
      fc.property(fields, (object) => judge(resource, object as unknown as AnyObject)),
      { numRuns: 100 },
    );
  });
}
