import assert from "node:assert/strict";
import { test } from "node:test";
import { definitions, startApi, widget, widgetDefinition, widgets } from "./harness.ts";

const name = "widgets.shop.example";

/** Widgets that were made before their definition became stricter. */
async function startWithOldWidgets() {
  const harness = await startApi();
  await harness.post(definitions, widgetDefinition());
  await harness.post(widgets, widget("a", { size: 1, color: "red" }));
  const stricter = widgetDefinition((crd) => {
    const { spec } = crd.spec.versions[0].schema.openAPIV3Schema.properties;
    spec.properties.color.enum = ["blue"];
    spec.properties.size["x-kubernetes-validations"].push({ rule: "self > 5", message: "too small" });
  });
  const changed = await harness.patch(`${definitions}/${name}`, { spec: { versions: stricter.spec.versions } });
  assert.equal(changed.status, 200, changed.text);
  await harness.api.idle();
  return harness;
}

test("who changes one field need not mend the others that a stricter schema refuses", async () => {
  const { patch } = await startWithOldWidgets();
  const changed = await patch(`${widgets}/a`, { spec: { replicas: 3 } });
  assert.equal(changed.status, 200, changed.text);
  assert.deepEqual(changed.warnings, ['299 - "spec.size: Invalid value: 1: too small"']);
  const status = await patch(`${widgets}/a/status`, { status: { phase: "Well" } });
  assert.equal(status.status, 200, status.text);
});

test("a field that changes must be right, and so must everything new", async () => {
  const { patch, post } = await startWithOldWidgets();
  const bigger = await patch(`${widgets}/a`, { spec: { size: 2 } });
  assert.equal(bigger.failure.message, 'Widget.shop.example "a" is invalid: spec.size: Invalid value: 2: too small');
  const smaller = await patch(`${widgets}/a`, { spec: { size: 0 } });
  assert.match(smaller.failure.message ?? "", /greater than or equal to 1/);
  assert.equal((await patch(`${widgets}/a`, { spec: { color: "blue", size: 6 } })).status, 200);
  assert.equal((await post(widgets, widget("b", { size: 6, color: "red" }))).status, 422);
});
