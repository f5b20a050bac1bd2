import assert from "node:assert/strict";
import { test } from "node:test";
import { builtInResources } from "@trivium/apiserver";
import { startApi } from "./harness.ts";

test("a namespace's label holds pods to a Pod Security level", async () => {
  const api = await startApi();
  const labels = { "pod-security.kubernetes.io/enforce": "baseline", "pod-security.kubernetes.io/warn": "baseline" };
  await api.post("/api/v1/namespaces", { metadata: { name: "held", labels } });
  const spec = { containers: [{ name: "a", image: "x", securityContext: { privileged: true } }] };
  const why = 'PodSecurity "baseline:latest": privileged (container "a" must not set securityContext.privileged=true)';
  const refused = await api.post("/api/v1/namespaces/held/pods", { metadata: { name: "p" }, spec });
  assert.deepEqual([refused.status, refused.failure.message], [403, `pods "p" is forbidden: violates ${why}`]);
  assert.equal((await api.post("/api/v1/namespaces/default/pods", { metadata: { name: "p" }, spec })).status, 201);
  const template = { metadata: { labels: { a: "b" } }, spec };
  const deployment = { metadata: { name: "d" }, spec: { selector: { matchLabels: { a: "b" } }, template } };
  const warned = await api.post("/apis/apps/v1/namespaces/held/deployments", deployment);
  assert.equal(warned.status, 201);
  assert.match(warned.warnings.join(), /would violate PodSecurity/);
});

test("kinds that nothing on one machine acts on are stored with a warning, where that is asked for", async () => {
  const spec = { podSelector: {}, policyTypes: ["Ingress"] };
  const path = "/apis/networking.k8s.io/v1/namespaces/default/networkpolicies";
  const local = await startApi({ resources: builtInResources({ unenforced: "warned" }) });
  const created = await local.post(path, { metadata: { name: "n" }, spec });
  assert.equal(created.status, 201);
  assert.deepEqual(created.warnings, [
    '299 - "NetworkPolicy is stored and not enforced on one machine: pods share its network"',
  ]);
  const silent = await startApi();
  assert.deepEqual((await silent.post(path, { metadata: { name: "n" }, spec })).warnings, []);
});
