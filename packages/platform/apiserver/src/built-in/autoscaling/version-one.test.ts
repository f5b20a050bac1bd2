import assert from "node:assert/strict";
import { test } from "node:test";
import type { AnyObject, HorizontalPodAutoscaler } from "@trivium/kube";
import { fromVersionOne, toVersionOne } from "./version-one.ts";

const target = { apiVersion: "apps/v1", kind: "Deployment", name: "d" };
const cpu = { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 70 } } };
const rate = { type: "Pods", pods: { metric: { name: "rps" }, target: { type: "AverageValue", averageValue: "5" } } };
const behavior = { scaleDown: { stabilizationWindowSeconds: 60 } };

function stored(spec: object): AnyObject {
  const object = {
    metadata: { name: "h", annotations: { own: "kept" } },
    spec: { scaleTargetRef: target, maxReplicas: 3, ...spec },
  };
  return object as unknown as AnyObject;
}

test("the share of cpu is the one metric of the older form", () => {
  const object = stored({ metrics: [cpu] });
  toVersionOne(object);
  assert.deepEqual(object.spec, { scaleTargetRef: target, maxReplicas: 3, targetCPUUtilizationPercentage: 70 });
  assert.deepEqual(object.metadata.annotations, { own: "kept" });
});

for (const [name, spec] of Object.entries({
  "cpu alone": { metrics: [cpu] },
  "something else alone": { metrics: [rate] },
  "both, and a behaviour": { metrics: [rate, cpu], behavior },
})) {
  test(`there and back again nothing is lost: ${name}`, () => {
    const object = stored(spec);
    toVersionOne(object);
    assert.ok(!("metrics" in (object.spec as object)));
    fromVersionOne(object as unknown as HorizontalPodAutoscaler);
    assert.deepEqual(object, stored(spec));
  });
}

test("annotations that are no JSON are not taken for metrics", () => {
  const object = stored({ targetCPUUtilizationPercentage: 70 });
  object.metadata.annotations = { "autoscaling.alpha.kubernetes.io/metrics": "{" };
  fromVersionOne(object as unknown as HorizontalPodAutoscaler);
  assert.deepEqual((object.spec as unknown as HorizontalPodAutoscaler["spec"]).metrics, [cpu]);
});
