import assert from "node:assert/strict";
import { test } from "node:test";
import { builtInResources } from "./built-in/index.ts";
import { createRegistry } from "./registry.ts";
import { parseTarget } from "./request.ts";

const registry = createRegistry(builtInResources());
const aim = (path: string) => {
  const target = parseTarget(registry, path);
  if (target.is === "document") return "document";
  const { resource, namespace, name, subresource, isWatch } = target;
  return [resource.plural, namespace, name, subresource, ...(isWatch ? ["watch"] : [])].join(" ");
};

test("paths name a resource, a namespace, an object and a part of it", () => {
  assert.equal(aim("/api/v1/pods"), "pods   ");
  assert.equal(aim("/api/v1/namespaces/a/pods?limit=5"), "pods a  ");
  assert.equal(aim("/api/v1/namespaces/a/pods/p/log"), "pods a p log");
  assert.equal(aim("/apis/apps/v1/namespaces/a/deployments/d/scale/"), "deployments a d scale");
  assert.equal(aim("/api/v1/namespaces/a"), "namespaces  a ");
  assert.equal(aim("/api/v1/namespaces/a/status"), "namespaces  a status");
  assert.equal(aim("/api/v1/namespaces/a/finalize"), "namespaces  a finalize");
  assert.equal(aim("/api/v1/watch/namespaces/a/pods"), "pods a   watch");
  assert.equal(aim("/apis/rbac.authorization.k8s.io/v1/clusterroles/system%3Anode"), "clusterroles  system:node ");
});

test("paths that name no resource are documents or nothing", () => {
  for (const path of ["/", "/api", "/apis", "/api/v1", "/apis/apps/v1", "/openapi/v3", "/version", "/healthz"]) {
    assert.equal(aim(path), "document", path);
  }
  for (const path of ["/api/v1/nope", "/apis/apps/v2/deployments", "/api/v1/pods/p", "/api/v1/nodes/n/a/b"]) {
    assert.throws(() => aim(path), { message: "the server could not find the requested resource" }, path);
  }
  assert.throws(() => aim("/api/v1/namespaces/%E0%A4%A/pods"), { message: "the path is not valid percent-encoding" });
});
