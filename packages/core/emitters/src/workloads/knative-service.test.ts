import assert from "node:assert/strict";
import { test } from "node:test";
import { emitKnativeService } from "./knative-service.ts";

const container = { name: "server", image: "registry.example/server:1" };

test("shares go to the latest revision or to one by name", () => {
  const { object } = emitKnativeService({
    name: "chat",
    labels: {},
    pod: { labels: {}, annotations: {}, spec: { containers: [container] } },
    timeout: 30,
    traffic: [{ percent: 20 }, { revision: "chat-1", percent: 80, tag: "prev" }],
  });
  assert.deepEqual(object.spec.traffic, [
    { latestRevision: true, percent: 20 },
    { latestRevision: false, revisionName: "chat-1", percent: 80, tag: "prev" },
  ]);
  assert.equal(object.spec.template?.spec?.responseStartTimeoutSeconds, 30);
});
