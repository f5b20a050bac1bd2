import assert from "node:assert/strict";
import { test } from "node:test";
import type { DecidedCondition } from "@trivium/kube";
import { modelScopes } from "./model/names/scopes.ts";
import { modelReconciler } from "./model/reconciler.ts";
import type { Model } from "./objects.ts";
import { defaultOptions } from "./options.ts";
import { serviceReconciler } from "./service/reconciler.ts";

test("every condition of a model reports a rejected template", () => {
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

const service = {
  apiVersion: "aim.silogen.ai/v1alpha1",
  kind: "AIMService",
  metadata: { name: "chat", namespace: "team-a", generation: 2 },
  spec: {},
};

/** What a service that runs reports when its Service is refused for a reason. */
function runtimeReady(reason: string): string | undefined {
  const well = { reason: "RuntimeReady", message: "fine", observedGeneration: 2, lastTransitionTime: "" };
  const conditions = [{ type: "RuntimeReady", status: "True" as const, ...well }];
  const child = { kind: "Service", name: "chat-predictor", namespace: "team-a" };
  const refusal = { child, code: 409, reason, message: "is not managed by Trivium", causes: [] };
  const raised = serviceReconciler(defaultOptions).refused?.(service, { status: "Running", conditions }, [refusal], 0);
  return raised?.conditions?.find(({ type }) => type === "RuntimeReady")?.status;
}

test("a Service of another owner is reported; a rejected update changes nothing", () => {
  assert.equal(runtimeReady("NameTaken"), "False");
  assert.equal(runtimeReady("Invalid"), "True");
});
