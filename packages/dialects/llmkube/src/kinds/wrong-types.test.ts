import assert from "node:assert/strict";
import { test } from "node:test";
import { admitObject, apiVersionOf, type DefinedKind } from "@trivium/kube";
import { formatFieldError, type Schema } from "@trivium/schema";
import type { JsonObject } from "@trivium/std";
import { InferenceService } from "./inference-service.ts";
import { Model } from "./model.ts";
import { nest, type WrongType, wrongTypes } from "./wrong-types.ts";

function faultsAt(kind: DefinedKind, { field, steps, value }: WrongType): string[] {
  const object = {
    apiVersion: apiVersionOf(kind),
    kind: kind.kind,
    metadata: {},
    ...(nest(steps, value) as JsonObject),
  };
  return admitObject(kind, object)
    .faults.filter((fault) => fault.field === field)
    .map(formatFieldError);
}

for (const kind of [Model, InferenceService]) {
  test(`${kind.kind}: a value of the wrong type is refused at every field, and the message names the field`, () => {
    const { spec, status } = kind.schema.properties as Record<"spec" | "status", Schema>;
    const wrong = wrongTypes({ type: "object", properties: { spec, status } });
    assert.ok(wrong.length > 50);
    for (const each of wrong) {
      const faults = faultsAt(kind, each);
      assert.equal(faults.length > 0, true, `${each.field} takes ${JSON.stringify(each.value)}`);
      assert.ok(faults[0]?.startsWith(`${each.field}: Invalid value: `), faults[0]);
    }
  });
}
