import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { InferenceService } from "../../kinds/inference-service.ts";
import type { ObservedRevision } from "../observed/workload.ts";
import { rolloutOf, shareTraffic } from "./knative-traffic.ts";

const serviceWith = (rolled: string | undefined, annotations = {}): InferenceService => ({
  apiVersion: "ome.io/v1beta1",
  kind: "InferenceService",
  metadata: { name: "chat", namespace: "team", annotations },
  spec: {},
  ...(rolled === undefined ? {} : { status: { components: { engine: { latestRolledoutRevision: rolled } } } }),
});

describe("shares of revisions", () => {
  test("the latest gets all without a canary, and before anything was rolled out", () => {
    assert.deepEqual(shareTraffic(serviceWith("r1"), "engine", undefined), [{ percent: 100 }]);
    assert.deepEqual(shareTraffic(serviceWith(undefined), "engine", 20), [{ percent: 100 }]);
    assert.deepEqual(shareTraffic(serviceWith("r1"), "engine", 100), [{ percent: 100 }]);
    assert.deepEqual(shareTraffic(serviceWith("r1"), "decoder", 20), [{ percent: 100 }]);
  });
  test("the rest stays with what is rolled out", () => {
    const shares = [{ percent: 0 }, { revision: "r1", percent: 100, tag: "prev" }];
    assert.deepEqual(shareTraffic(serviceWith("r1"), "engine", 0), shares);
    const tagged = serviceWith("r1", { "ome.io/enable-tag-routing": "true" });
    assert.deepEqual(shareTraffic(tagged, "engine", 25), [
      { percent: 25, tag: "latest" },
      { revision: "r1", percent: 75, tag: "prev" },
    ]);
  });
});

describe("C18: what is rolled out", () => {
  const latest = (revisionName: string, percent: number) => ({ latestRevision: true, revisionName, percent });
  const observed = (over: Partial<ObservedRevision>): ObservedRevision => ({
    isCurrent: true,
    latestReady: "r2",
    latestCreated: "r2",
    traffic: [latest("r2", 100)],
    ...over,
  });
  test("it moves when the latest gets everything", () => {
    const moved = { latestRolledoutRevision: "r2", previousRolledoutRevision: "r1" };
    assert.deepEqual(rolloutOf({ latestRolledoutRevision: "r1" }, observed({})), moved);
    assert.deepEqual(rolloutOf({}, observed({})), { latestRolledoutRevision: "r2" });
    assert.deepEqual(rolloutOf(moved, observed({})), moved);
  });
  test("it stays while the latest is tried out, is not ready, or is unknown", () => {
    const before = { latestRolledoutRevision: "r1", previousRolledoutRevision: "r0" };
    const tried = [latest("r2", 10), { latestRevision: false, revisionName: "r1", percent: 90 }];
    assert.deepEqual(rolloutOf(before, observed({ traffic: tried })), before);
    assert.deepEqual(rolloutOf(before, observed({ latestReady: "r1", traffic: [latest("r1", 100)] })), before);
    assert.deepEqual(rolloutOf(before, observed({ latestReady: undefined, traffic: [] })), before);
  });
  test("it goes back when what had everything is tried out again", () => {
    const before = { latestRolledoutRevision: "r2", previousRolledoutRevision: "r1" };
    const again = [latest("r2", 10), { latestRevision: false, revisionName: "r2", percent: 90 }];
    const back = { latestRolledoutRevision: "r1", previousRolledoutRevision: "r1" };
    assert.deepEqual(rolloutOf(before, observed({ traffic: again })), back);
    assert.deepEqual(rolloutOf(back, observed({ traffic: again })), back);
    const { previousRolledoutRevision: _, ...first } = before;
    assert.deepEqual(rolloutOf(first, observed({ traffic: again })), first);
    assert.deepEqual(rolloutOf(before, observed({ latestCreated: "r3", traffic: again })), before);
  });
});
