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
  const outcomeOf = (kind: string, status: object, metadata: object = owned) => {
    const reader = {
      list: (of: { kind: string }) => (of.kind === kind ? [{ kind, metadata, status }] : []),
      ask: () => known(true),
    };
    const options = { ...defaultOptions, ingress: { ...defaultOptions.ingress, creation: "on" } } as const;
    return observeEntry(service, reader as never, { configuration: { is: "absent" }, options }).routes[0]?.outcome;
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
    assert.deepEqual(outcomeOf("HTTPRoute", { parents: [good] }), { is: "taken", by: "Gateway public" });
    for (const parents of [
      [],
      [parent(["Accepted", "True", 3])],
      [parent(["Accepted", "True", 2], ["ResolvedRefs", "True", 3])],
      [good, parent(["Accepted", "Unknown", 3], ["ResolvedRefs", "True", 3])],
    ])
      assert.deepEqual(outcomeOf("HTTPRoute", { parents }), { is: "waiting" });
    const bad = outcomeOf("HTTPRoute", {
      parents: [good, parent(["Accepted", "True", 3], ["ResolvedRefs", "False", 3])],
    });
    assert.deepEqual(bad, { is: "refused", why: "Gateway public: Because: so" });
    assert.equal(outcomeOf("HTTPRoute", { parents: [good] }, { ...owned, ownerReferences: [] }), undefined);
  });
  test("an Ingress, by its load balancer", () => {
    assert.deepEqual(outcomeOf("Ingress", {}), { is: "waiting" });
    const status = { loadBalancer: { ingress: [{ ip: "10.0.0.1" }, { hostname: "lb" }, {}] } };
    assert.deepEqual(outcomeOf("Ingress", status), { is: "taken", by: "load balancer 10.0.0.1, lb" });
  });
  test("a VirtualService, by what Istio finds wrong with it", () => {
    assert.deepEqual(outcomeOf("VirtualService", {}), { is: "taken", by: "Istio" });
    const wrong = { validationMessages: [{ level: "ERROR", type: { code: "IST0101" } }] };
    assert.deepEqual(outcomeOf("VirtualService", wrong), { is: "refused", why: "Istio rejected it: IST0101" });
  });
});
