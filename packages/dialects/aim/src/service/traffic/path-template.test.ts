import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import type { Service } from "../names/names.ts";
import { renderPath, safeSegment } from "./path-template.ts";

const service: Service = {
  apiVersion: "aim.silogen.ai/v1alpha1",
  kind: "AIMService",
  metadata: {
    name: "chat",
    namespace: "Testing",
    uid: "0000-1111",
    labels: { app: "Workload-42", "org.acme/team": "Team A", "a.b": "dotted" },
    annotations: { where: "Team-A/B" },
  },
  spec: {
    model: { ref: "Meta/Llama-3-8B" },
    replicas: 2,
    routing: { enabled: true },
    env: [{ name: "A", value: "v1.2" }],
  },
};

describe("paths of services", () => {
  const good: [string | undefined, string][] = [
    [undefined, "/testing/0000-1111"],
    ["/{.metadata.namespace}/{.metadata.labels['app']}", "/testing/workload-42"],
    ["//a//{.metadata.name}/", "/a/chat"],
    ["a", "/a"],
    ["/", "/"],
    ["/{.metadata.labels['org.acme/team']}", "/team-a"],
    ['/{.metadata.labels["app"]}', "/workload-42"],
    ["/{.metadata.annotations['where']}/x", "/team-a/b/x"],
    ["/{.spec.model}", "/meta-llama-3-8b"],
    ["/{.spec.aimModelName}", "/meta-llama-3-8b"],
    ["/{.spec.model.ref}", "/meta-llama-3-8b"],
    ["/{$.spec.replicas}/{.spec.routing.enabled}", "/2/true"],
    ["/{.spec.env[0].value}", "/v1.2"],
    ["/{.metadata.labels.a\\.b}", "/dotted"],
    ["/{ .metadata.name }", "/chat"],
  ];
  for (const [template, path] of good)
    test(`${template}`, () => assert.deepEqual(renderPath(service, template), { is: "path", path }));

  const bad: [string, RegExp][] = [
    ["/{.metadata.labels['none']}", /requires label none/],
    ["/{.metadata.annotations['none']}", /requires annotation none/],
    ["/{.spec.nothing}", /is not set/],
    ["/{.spec.env[*].name}/{.spec.routing}", /not a single value/],
    ["/{.metadata}", /not a single value/],
    ["/{..name}", /matches several values/],
    ["/{.spec.env[?(}", /not a valid path/],
    ["/{a{b}}", /nested brace/],
    ["/{", /unclosed brace/],
    ["   ", /empty/],
    [`/${"a".repeat(201)}`, /longer than 200/],
    ["/{.metadata.labels['__proto__']}", /requires label __proto__/],
    ["/{.constructor}", /is not set/],
  ];
  for (const [template, why] of bad)
    test(`refused: ${template.slice(0, 40)}`, () => {
      const found = renderPath(service, template);
      assert.match(found.is === "faulty" ? found.why : "", why);
    });

  test("segments are made URL-safe as in the vectors", () => {
    const vectors = { "v1.2": "v1.2", __x__: "x", "Team A": "team-a", "a..b": "a-b", "": "", "..": "" };
    for (const [text, safe] of Object.entries(vectors)) assert.equal(safeSegment(text), safe);
  });

  test("for any template, a path is short, absolute and plain, or rejected", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 80 }), fc.string({ unit: "binary" }), (template, label) => {
        const labelled = { ...service, metadata: { ...service.metadata, labels: { x: label } } };
        const found = renderPath(labelled, `${template}{.metadata.labels['x']}`);
        if (found.is === "path") assert.match(found.path, /^\/[a-z0-9./-]{0,200}$/);
      }),
    );
  });
});
