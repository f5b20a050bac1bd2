import assert from "node:assert/strict";
import { it } from "node:test";
import type { HTTPRoute, Service } from "@trivium/kube";
import { type Case, violationsOf } from "@trivium/testkit";
import { localGatewayObjects } from "../src/index.ts";
import { httpRouteReconciler, type ObservedRoute } from "../src/status/http-route.ts";

const { gateway, gatewayClass } = localGatewayObjects(80);
const service: Service = {
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "demo", namespace: "default" },
  spec: { ports: [{ port: 80 }] },
};
const route = (spec: Partial<HTTPRoute["spec"]>): HTTPRoute => ({
  apiVersion: "gateway.networking.k8s.io/v1",
  kind: "HTTPRoute",
  metadata: { name: "r", namespace: "default", generation: 2 },
  spec: { parentRefs: [{ name: "trivium", namespace: "trivium-system" }], ...spec },
});
const observed = (more: Partial<ObservedRoute> = {}): ObservedRoute => ({
  gateways: [gateway],
  classes: [gatewayClass],
  namespaces: [{ apiVersion: "v1", kind: "Namespace", metadata: { name: "default" } }],
  services: [service],
  grants: [],
  ...more,
});
const rules = [{ backendRefs: [{ name: "demo", port: 80 }] }];
const now = Date.UTC(2026, 0, 1);

it("keeps the laws of reconcilers, and what other controllers said", () => {
  const others = { controllerName: "someone.else/gw", parentRef: { name: "theirs" }, conditions: [] };
  const shared = { ...route({ rules }), status: { parents: [others] } };
  const cases: Case<HTTPRoute, ObservedRoute>[] = [
    { name: "fine", object: route({ rules }), observed: observed(), now },
    { name: "no service", object: route({ rules }), observed: observed({ services: [] }), now },
    { name: "no gateway", object: route({ rules }), observed: observed({ gateways: [] }), now },
    { name: "shared", object: shared, observed: observed(), now },
  ];
  assert.deepEqual(violationsOf(httpRouteReconciler(), cases, { conditions: {} }), []);
  const decision = httpRouteReconciler().decide(shared, observed(), now);
  assert.ok(decision.do === "hold");
  assert.deepEqual(
    decision.status.parents.map(({ controllerName }) => controllerName),
    ["someone.else/gw", "trivium.dev/gateway"],
  );
});
