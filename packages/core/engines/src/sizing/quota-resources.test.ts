import assert from "node:assert/strict";
import { test } from "node:test";
import { resourcesBefore, resourcesForQuotas } from "./quota-resources.ts";

test("a Job states what the quotas of its namespace count, and no more", () => {
  assert.equal(resourcesForQuotas([]), undefined);
  assert.equal(resourcesForQuotas([{ pods: "4", "requests.nvidia.com/gpu": "2" }]), undefined);
  assert.deepEqual(resourcesForQuotas([{ "requests.memory": "64Gi" }]), { requests: { memory: "256Mi" } });
  assert.deepEqual(resourcesForQuotas([{ cpu: "4" }, { "limits.memory": "8Gi" }]), {
    requests: { cpu: "100m", memory: "256Mi" },
    limits: { memory: "4Gi" },
  });
});

test("a small quota bounds what a Job asks for; one of zero or of nonsense changes nothing", () => {
  assert.deepEqual(resourcesForQuotas([{ "limits.memory": "128Mi" }]), {
    requests: { memory: "128Mi" },
    limits: { memory: "128Mi" },
  });
  assert.deepEqual(resourcesForQuotas([{ cpu: "0" }]), { requests: { cpu: "100m" } });
  assert.deepEqual(resourcesForQuotas([{ memory: "much" }]), { requests: { memory: "256Mi" } });
});

test("a container that prepares has the CPU and memory of the one that serves, and no device", () => {
  const resources = { requests: { cpu: "2", memory: "4Gi" }, limits: { "nvidia.com/gpu": "1", memory: "8Gi" } };
  assert.deepEqual(resourcesBefore(resources), {
    resources: { requests: { cpu: "2", memory: "4Gi" }, limits: { memory: "8Gi" } },
  });
  assert.deepEqual(resourcesBefore({ limits: { "nvidia.com/gpu": "1" } }), {});
});
