import assert from "node:assert/strict";
import { test } from "node:test";
import type { AnyObject } from "@trivium/kube";
import { translateObjects } from "./translate-objects.ts";

const object = (kind: string, name: string, spec: object): AnyObject =>
  ({ apiVersion: "old.io/v1", kind, metadata: { name }, spec }) as AnyObject;

test("services come behind what they refer to, and a field that has to be stated is listed", () => {
  const converted = translateObjects(
    [object("Svc", "chat", { model: "m" }), object("Model", "m", { size: 1 })],
    "old.io",
    {
      group: "old.io",
      service: "Svc",
      translate: (one) =>
        one.kind === "Svc"
          ? {
              object: { ...one, apiVersion: "new.io/v1", spec: { model: "m", mode: "Shared" } } as AnyObject,
              notes: { "spec.mode": "always stated" },
            }
          : { object: { ...one, apiVersion: "new.io/v1" } as AnyObject, notes: {} },
    },
  );
  assert.ok(converted.is === "converted");
  assert.deepEqual(
    converted.objects.map(({ kind }) => kind),
    ["Model", "Svc"],
  );
  assert.deepEqual(converted.ledger, [
    { outcome: "carried", object: "Model m", field: "spec.size", at: "Model spec.size" },
    { outcome: "carried", object: "Svc chat", field: "spec.model", at: "Svc spec.model" },
    { outcome: "approximated", object: "Svc chat", field: "spec.mode", at: "Svc spec.mode", note: "always stated" },
  ]);
});
