import assert from "node:assert/strict";
import { test } from "node:test";
import type { DecidedCondition } from "@trivium/kube";
import { modelReconciler } from "./model/reconciler.ts";
import { modelScopes } from "./model/scopes.ts";
import type { Model } from "./objects.ts";
import { defaultOptions } from "./options.ts";

test("every condition of a model agrees that a template was refused", () => {
  const [scope] = modelScopes;
  assert.ok(scope);
  const model: Model = {
    apiVersion: "aim.silogen.ai/v1alpha1",
    kind: "AIMModel",
    metadata: { name: "m", namespace: "team-a", generation: 2 },
    spec: { image: "registry.example/foo:1.0.0" },
  };
  const well = { reason: "AllTemplatesReady", message: "fine", observedGeneration: 2, lastTransitionTime: "" };
  const conditions = [
    { type: "Ready", status: "True" as const, ...well },
    { type: "Progressing", status: "False" as const, ...well },
    { type: "Failure", status: "False" as const, ...well },
    { type: "Degraded", status: "False" as const, ...well },
  ];
  const child = { kind: "AIMServiceTemplate", name: "m-1", namespace: "team-a" };
  const refusal = { child, code: 422, reason: "Invalid", message: "spec.metric: no such metric", causes: [] };
  const reconciler = modelReconciler(scope, defaultOptions);
  const raised = reconciler.refused?.(model, { status: "Ready", conditions }, [refusal], 0);
  const found = (raised as { status: string; conditions: DecidedCondition[] }).conditions;
  assert.deepEqual(
    found.map(({ type, status, reason }) => `${type}=${status}/${reason}`),
    [
      "Ready=False/ApplyFailed",
      "Progressing=False/ApplyFailed",
      "Failure=True/ApplyFailed",
      "Degraded=True/ApplyFailed",
    ],
  );
});
