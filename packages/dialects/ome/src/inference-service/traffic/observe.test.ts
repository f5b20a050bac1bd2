import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { known } from "@trivium/std";
import type { InferenceService } from "../../kinds/inference-service.ts";
import { defaultOptions } from "../../options.ts";
import { observeEntry } from "./index.ts";

const service: InferenceService = {
  apiVersion: "ome.io/v1beta1",
  kind: "InferenceService",
  metadata: { name: "chat", namespace: "team", uid: "u" },
  spec: {},
};

describe("what is seen of routes", () => {
  const owned = {
    name: "chat",
    generation: 3,
    ownerReferences: [{ apiVersion: "x", kind: "y", name: "chat", uid: "u" }],
  };
  const accepted = { accepted: true, reason: "Accepted", message: "" };
  const entryOf = (kind: string, status: object, metadata: object = owned) => {
    const reader = {
      get: () => ({ is: "absent" }),
      list: (of: { kind: string }) => (of.kind === kind ? [{ kind, metadata, status }] : []),
      ask: () => known(true),
    };
    const ingress = { ...defaultOptions.ingress, creation: "on", api: "gateway", gateway: "infra/public" } as const;
    const options = { ...defaultOptions, ingress };
    return observeEntry(service, reader as never, { configuration: { is: "absent" }, options });
  };
  const reportsOn = (kind: string, status: object, metadata?: object) => {
    const [route] = entryOf(kind, status, metadata).routes;
    return route && { by: route.by, parents: route.parents };
  };
  const parent = (...conditions: [string, string, number][]) => ({
    parentRef: { name: "public" },
    controllerName: "x",
    conditions: conditions.map(([type, state, observedGeneration]) => ({
      type,
      status: state,
      reason: "Because",
      message: "so",
      observedGeneration,
      lastTransitionTime: "2026-01-01T00:00:00Z",
    })),
  });
  test("an HTTPRoute, by every Gateway and for the spec as it is now", () => {
    const good = parent(["Accepted", "True", 3], ["ResolvedRefs", "True", 3]);
    const reported = { accepted: true, reason: "Because", message: "so" };
    assert.deepEqual(reportsOn("HTTPRoute", { parents: [good] }), { by: "Gateway public", parents: [reported] });
    const old = parent(["Accepted", "True", 2], ["ResolvedRefs", "True", 3]);
    const bad = parent(["Accepted", "True", 3], ["ResolvedRefs", "False", 3]);
    assert.deepEqual(reportsOn("HTTPRoute", { parents: [good, old, bad] })?.parents, [
      reported,
      { accepted: false, reason: "Pending", message: "" },
      { ...reported, accepted: false },
    ]);
    assert.equal(reportsOn("HTTPRoute", { parents: [good] }, { ...owned, ownerReferences: [] }), undefined);
  });
  test("a Gateway that does not exist, while no Gateway has answered", () => {
    assert.equal(entryOf("HTTPRoute", { parents: [] }).isGatewayMissing, true);
    assert.equal(entryOf("HTTPRoute", { parents: [parent()] }).isGatewayMissing, undefined);
  });
  test("an Ingress, by its load balancer", () => {
    assert.deepEqual(reportsOn("Ingress", {})?.parents, []);
    const status = { loadBalancer: { ingress: [{ ip: "10.0.0.1" }, { hostname: "lb" }, {}] } };
    assert.deepEqual(reportsOn("Ingress", status), { by: "load balancer 10.0.0.1, lb", parents: [accepted] });
  });
  test("a VirtualService, by what Istio finds wrong with it", () => {
    assert.deepEqual(reportsOn("VirtualService", {}), { by: "Istio", parents: [accepted] });
    const wrong = { validationMessages: [{ level: "ERROR", type: { code: "IST0101" } }] };
    assert.deepEqual(reportsOn("VirtualService", wrong)?.parents, [
      { accepted: false, reason: "IST0101", message: "" },
    ]);
  });
});
