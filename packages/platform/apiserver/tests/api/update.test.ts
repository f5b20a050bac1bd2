import assert from "node:assert/strict";
import { test } from "node:test";
import { configMap, configMaps, definitions, startApi, widget, widgetDefinition, widgets } from "./harness.ts";

test("an update replaces the object it was made from, and only that", async () => {
  const { post, put, get } = await startApi();
  const made = (await post(configMaps, configMap("a", { data: { x: "1" } }))).object;
  const next = await put(`${configMaps}/a`, { ...made, data: { x: "2" } });
  assert.equal(next.status, 200);
  assert.ok(Number(next.object.metadata.resourceVersion) > Number(made.metadata.resourceVersion));
  const late = await put(`${configMaps}/a`, { ...made, data: { x: "3" } });
  assert.deepEqual(
    [late.status, late.failure.reason, late.failure.message],
    [
      409,
      "Conflict",
      'Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the latest version and try again',
    ],
  );
  const other = await put(`${configMaps}/a`, { metadata: { name: "a", uid: "someone-else" } });
  assert.deepEqual([other.status, other.failure.reason], [409, "Conflict"]);
  assert.equal((await get(`${configMaps}/a`)).json.data.x, "2");
});

test("an update without a version overwrites built-in kinds and is refused for custom ones", async () => {
  const { post, put } = await startApi();
  await post(configMaps, configMap("a"));
  assert.equal((await put(`${configMaps}/a`, configMap("a", { data: { x: "1" } }))).status, 200);
  await post(definitions, widgetDefinition());
  await post(widgets, widget("a"));
  const refused = await put(`${widgets}/a`, widget("a", { size: 2 }));
  assert.equal(
    refused.failure.message,
    'widgets.shop.example "a" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update',
  );
});

test("an update that changes nothing writes nothing", async () => {
  const { post, put, patch, store } = await startApi();
  const made = (await post(configMaps, configMap("a", { data: { x: "1" } }))).object;
  const before = store.revision;
  assert.deepEqual((await put(`${configMaps}/a`, made)).object, made);
  assert.deepEqual((await put(`${configMaps}/a`, configMap("a", { data: { x: "1" } }))).object, made);
  assert.deepEqual((await patch(`${configMaps}/a`, { data: { x: "1" } })).object, made);
  assert.equal(store.revision, before);
});

test("what the server keeps cannot be rewritten", async () => {
  const { post, put, patch } = await startApi();
  await post(definitions, widgetDefinition());
  const made = (await post(widgets, widget("a"))).object;
  const forged = {
    creationTimestamp: "2000-01-01T00:00:00Z",
    generation: 77,
    selfLink: "/x",
  };
  const next = await put(`${widgets}/a`, { ...made, metadata: { ...made.metadata, ...forged } });
  assert.deepEqual(next.object, made);
  const gone = await patch(`${widgets}/a`, { metadata: { deletionTimestamp: "2000-01-01T00:00:00Z" } });
  assert.match(gone.failure.message ?? "", /metadata.deletionTimestamp: .*: field is immutable/);
  const uid = await patch(`${widgets}/a`, { metadata: { uid: "other" } });
  assert.match(uid.failure.message ?? "", /metadata.uid: Invalid value: "other": field is immutable/);
  assert.equal(
    (await patch(`${widgets}/a`, { metadata: { name: "b" } })).failure.message,
    "the name of the object (b) does not match the name on the URL (a)",
  );
  assert.equal((await put(`${widgets}/a`, {})).status, 400);
});

test("the generation follows the spec and nothing else", async () => {
  const { post, patch, remove } = await startApi();
  await post(definitions, widgetDefinition());
  await post(widgets, { ...widget("a"), metadata: { name: "a", finalizers: ["test/hold"] } });
  const generation = async (answer: Promise<{ object: { metadata: { generation?: number } } }>) =>
    (await answer).object.metadata.generation;
  assert.equal(await generation(patch(`${widgets}/a`, { metadata: { labels: { x: "y" } } })), 1);
  assert.equal(await generation(patch(`${widgets}/a`, { spec: { size: 2 } })), 2);
  assert.equal(await generation(patch(`${widgets}/a/status`, { status: { phase: "Up" } })), 2);
  assert.equal(await generation(patch(`${widgets}/a`, { status: { phase: "Down" } })), 2);
  assert.equal(await generation(remove(`${widgets}/a`)), 3);
});

test("status and the rest are written apart", async () => {
  const { post, put, patch, get } = await startApi();
  await post(definitions, widgetDefinition());
  const made = (await post(widgets, { ...widget("a"), status: { phase: "Forged" } })).object;
  assert.equal(made.status, undefined);
  const status = await put(`${widgets}/a/status`, {
    ...made,
    metadata: { ...made.metadata, labels: { sneaked: "in" } },
    spec: { size: 500 },
    status: { phase: "Up" },
  });
  assert.equal(status.status, 200);
  assert.deepEqual(
    [status.json.spec.size, status.json.status, status.object.metadata.labels],
    [1, { phase: "Up" }, undefined],
  );
  await patch(`${widgets}/a`, { status: { phase: "Down" }, spec: { size: 2 } });
  assert.deepEqual((await get(`${widgets}/a`)).json.status, { phase: "Up" });
  const wrong = await patch(`${widgets}/a/status`, { status: { phase: 5 } });
  assert.deepEqual([wrong.status, wrong.failure.details?.causes?.[0]?.field], [422, "status.phase"]);
  assert.equal((await get(`${configMaps}/kube-root-ca.crt/status`)).status, 404);
  const entries = (await get(`${widgets}/a/status`)).object.metadata.managedFields ?? [];
  assert.deepEqual(
    entries.map(({ subresource }) => subresource),
    [undefined, "status"],
  );
});

test("kinds that allow it are created by an update", async () => {
  const { put } = await startApi();
  const leases = "/apis/coordination.k8s.io/v1/namespaces/default/leases";
  const lease = { metadata: { name: "l" }, spec: { holderIdentity: "me" } };
  assert.equal((await put(`${leases}/l`, lease)).status, 201);
  assert.equal((await put(`${configMaps}/none`, configMap("none"))).status, 404);
});
