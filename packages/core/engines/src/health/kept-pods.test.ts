import assert from "node:assert/strict";
import { test } from "node:test";
import { countAsRendered, observeTemplate } from "./kept-pods.ts";

const workload = (rendered?: string) => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: rendered === undefined ? {} : { annotations: { "trivium.dev/rendered": rendered } },
});
const digest = "0123456789abcdef";

test("pods that an upgrade kept count as the template that the new release renders", () => {
  const kept = observeTemplate(workload(`0.2.0-abc ${digest} new kept`), "old");
  assert.deepEqual(kept, { template: "new", keeps: "old" });
  assert.deepEqual(countAsRendered({ template: "old" }, kept), { template: "new" });
  assert.deepEqual(countAsRendered({ template: "older" }, kept), { template: "older" });
});

test("pods that a take-over kept have no mark of ours, and count all the same", () => {
  const kept = observeTemplate(workload(`0.2.0-abc ${digest} new kept`), undefined);
  assert.deepEqual(kept, { template: "new", keeps: "" });
  assert.deepEqual(countAsRendered({ template: undefined }, kept), { template: "new" });
  assert.deepEqual(countAsRendered({ template: "ours" }, kept), { template: "ours" });
});

test("pods of a workload that keeps nothing are what they are", () => {
  for (const text of [undefined, `0.2.0-abc ${digest} new`, "outdated", "", "a b c kept", `0.2.0 ${digest}  kept`]) {
    const observed = observeTemplate(workload(text), "old");
    assert.deepEqual(observed, { template: "old" }, text);
    assert.deepEqual(countAsRendered({ template: "old" }, observed), { template: "old" });
  }
  assert.deepEqual(observeTemplate(workload(), undefined), {});
  assert.deepEqual(countAsRendered({ template: "old" }, undefined), { template: "old" });
});
