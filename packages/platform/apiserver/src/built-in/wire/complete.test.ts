import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "@trivium/std";
import { completeObject } from "./complete.ts";

function completed(definition: string, object: JsonObject): JsonObject {
  completeObject(definition, object);
  return object;
}

test("what says nothing goes, what tells zero from nothing stays", () => {
  const spec: JsonObject = {
    hostNetwork: false,
    nodeName: "",
    nodeSelector: {},
    tolerations: [],
    terminationGracePeriodSeconds: 0,
    automountServiceAccountToken: false,
    securityContext: {},
    containers: [
      { name: "c", args: [], tty: false, resources: { limits: {} }, securityContext: { privileged: false } },
    ],
  };
  assert.deepEqual(completed("io.k8s.api.core.v1.PodSpec", spec), {
    terminationGracePeriodSeconds: 0,
    automountServiceAccountToken: false,
    securityContext: {},
    containers: [{ name: "c", resources: {}, securityContext: { privileged: false } }],
  });
});

test("what is always written comes, parts of parts too", () => {
  assert.deepEqual(completed("io.k8s.api.core.v1.Service", { metadata: {} }), {
    metadata: {},
    spec: {},
    status: { loadBalancer: {} },
  });
});

test("zero as a count or share of pods is a choice", () => {
  assert.deepEqual(completed("io.k8s.api.policy.v1.PodDisruptionBudgetSpec", { maxUnavailable: 0 }), {
    maxUnavailable: 0,
  });
});
