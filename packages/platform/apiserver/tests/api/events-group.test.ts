import assert from "node:assert/strict";
import { test } from "node:test";
import { asTable, startApi } from "./harness.ts";

const core = "/api/v1/namespaces/default/events";
const own = "/apis/events.k8s.io/v1/namespaces/default/events";

const older = {
  metadata: { name: "older" },
  involvedObject: { kind: "Pod", name: "p", namespace: "default" },
  message: "it ran",
  reason: "Ran",
  type: "Normal",
  count: 3,
  firstTimestamp: "2026-01-01T00:00:00Z",
  lastTimestamp: "2026-01-01T00:01:00Z",
  source: { component: "comp", host: "h" },
};
const newer = {
  metadata: { name: "newer" },
  regarding: { kind: "Pod", name: "q", namespace: "default" },
  note: "it runs",
  reason: "Runs",
  type: "Normal",
  action: "Run",
  eventTime: "2026-01-01T00:00:00.123456Z",
  reportingController: "x.y/c",
  reportingInstance: "i",
  related: { kind: "Node", name: "n" },
  series: { count: 2, lastObservedTime: "2026-01-01T00:00:01.500000Z" },
};

const bare = ({ metadata: _, ...rest }: Record<string, unknown>) => rest;

test("an event of the core group is shown in the form of events.k8s.io, as the real server does", async () => {
  const { post, get } = await startApi();
  const made = await post(core, older);
  assert.equal(made.status, 201, made.text);
  assert.deepEqual(bare(made.json), {
    ...bare(older),
    apiVersion: "v1",
    kind: "Event",
    eventTime: null,
    reportingComponent: "",
    reportingInstance: "",
  });
  const observed = (await get(`${own}/older`)).json;
  assert.deepEqual(bare(observed), {
    apiVersion: "events.k8s.io/v1",
    kind: "Event",
    eventTime: null,
    reason: "Ran",
    regarding: older.involvedObject,
    note: "it ran",
    type: "Normal",
    deprecatedSource: older.source,
    deprecatedFirstTimestamp: older.firstTimestamp,
    deprecatedLastTimestamp: older.lastTimestamp,
    deprecatedCount: 3,
  });
  assert.deepEqual(observed.metadata, made.json.metadata);
});

test("an event of events.k8s.io is stored in the form of the core group", async () => {
  const { post, get, store } = await startApi();
  const made = await post(own, newer);
  assert.equal(made.status, 201, made.text);
  const rest = { deprecatedSource: {}, deprecatedFirstTimestamp: null, deprecatedLastTimestamp: null };
  assert.deepEqual(bare(made.json), { ...bare(newer), ...rest, apiVersion: "events.k8s.io/v1", kind: "Event" });
  assert.deepEqual(bare((await get(`${core}/newer`)).json), {
    apiVersion: "v1",
    kind: "Event",
    involvedObject: newer.regarding,
    message: "it runs",
    reason: "Runs",
    type: "Normal",
    action: "Run",
    eventTime: newer.eventTime,
    reportingComponent: "x.y/c",
    reportingInstance: "i",
    related: newer.related,
    series: newer.series,
    source: {},
    firstTimestamp: null,
    lastTimestamp: null,
  });
  const [stored] = store.list("events", { namespace: "default" });
  assert.match(stored?.text ?? "", /^\{"apiVersion":"v1","kind":"Event",/);
});

test("times that are not known are written, and owned by nobody", async () => {
  const { post } = await startApi();
  const made = (await post(core, older)).json;
  assert.deepEqual(made.metadata.managedFields[0].fieldsV1, {
    "f:count": {},
    "f:firstTimestamp": {},
    "f:involvedObject": {},
    "f:lastTimestamp": {},
    "f:message": {},
    "f:reason": {},
    "f:source": { "f:component": {}, "f:host": {} },
    "f:type": {},
  });
});

test("who wrote an event by the other group is no longer its manager once it changes", async () => {
  const { post, patch } = await startApi();
  await post(`${own}?fieldManager=first`, newer);
  const changed = await patch(`${core}/newer?fieldManager=second`, { count: 4 }, "strategic");
  const managers = changed.json.metadata.managedFields.map(
    ({ manager, apiVersion, fieldsV1 }: Record<string, unknown>) => [manager, apiVersion, fieldsV1],
  );
  assert.deepEqual(managers, [["second", "v1", { "f:count": {} }]]);
});

test("lists, watches, tables and field selectors work in both groups", async () => {
  const { post, get, watch } = await startApi();
  const ofCore = await watch(`${core}?watch=1&resourceVersion=0`);
  const ofOwn = await watch(`${own}?watch=1&resourceVersion=0`);
  await post(core, older);
  await post(own, newer);
  const [first, second] = await ofOwn.take(2);
  assert.deepEqual([first?.object.note, second?.object.note], ["it ran", "it runs"]);
  assert.deepEqual([first?.object.apiVersion, second?.object.apiVersion], Array(2).fill("events.k8s.io/v1"));
  const observed = await ofCore.take(2);
  assert.deepEqual(
    observed.map(({ object }) => object.message),
    ["it ran", "it runs"],
  );
  assert.deepEqual(
    observed.map(({ object }) => object.note),
    [undefined, undefined],
  );
  ofCore.stop();
  ofOwn.stop();
  const names = async (path: string) =>
    (await get(path)).json.items.map((item: { metadata: { name: string } }) => item.metadata.name);
  assert.deepEqual(await names(`${own}?fieldSelector=regarding.name=p`), ["older"]);
  assert.deepEqual(await names(`${own}?fieldSelector=reportingController=x.y/c`), ["newer"]);
  assert.deepEqual(await names(`${core}?fieldSelector=source=comp`), ["older"]);
  assert.deepEqual(await names(`${core}?fieldSelector=source=x.y/c`), ["newer"]);
  const wrong = await get(`${own}?fieldSelector=involvedObject.name=p`);
  assert.equal(wrong.failure.message, "field label not supported: involvedObject.name");
  const cells = async (path: string) =>
    (await get(path, asTable)).json.rows.map((row: { cells: unknown[] }) => row.cells.slice(1));
  assert.deepEqual(await cells(own), await cells(core));
  assert.deepEqual((await cells(own))[1].slice(0, 3), ["Normal", "Ran", "pod/p"]);
});

test("events.k8s.io asks more of new events than the core group", async () => {
  const { post } = await startApi();
  const refused = async (change: object) => (await post(own, { ...newer, ...change })).failure.message;
  const is = (faults: string) => `Event "newer" is invalid: ${faults}`;
  assert.equal(await refused({ eventTime: null }), is("eventTime: Required value"));
  assert.equal(await refused({ type: "Odd" }), is('type: Invalid value: "": has invalid value: Odd'));
  assert.equal(
    await refused({ series: { count: 1 } }),
    is('[series.count: Invalid value: "": should be at least 2, series.lastObservedTime: Required value]'),
  );
  assert.equal(
    await refused({
      deprecatedCount: 1,
      deprecatedSource: { host: "h" },
      deprecatedFirstTimestamp: older.firstTimestamp,
    }),
    is(
      '[firstTimestamp: Invalid value: "": needs to be unset, count: Invalid value: "": needs to be unset, source: Invalid value: "": needs to be unset]',
    ),
  );
  assert.match((await refused({ reportingController: "" })) ?? "", /\[reportingController: Required value, /);
  assert.equal((await post(core, { ...older, type: "Odd" })).status, 201);
});

test("through events.k8s.io only the series of an event may change", async () => {
  const { post, put, patch, remove, get } = await startApi();
  await post(own, newer);
  await post(core, older);
  const series = { count: 9, lastObservedTime: "2026-01-01T00:00:09.000000Z" };
  assert.equal((await put(`${own}/newer`, { ...newer, series })).status, 200);
  assert.deepEqual((await get(`${core}/newer`)).json.series, series);
  const refused = await put(`${own}/newer`, {
    ...newer,
    note: "other",
    related: undefined,
    regarding: { ...newer.regarding, name: "r" },
  });
  const fields = refused.failure.details?.causes?.map(({ field }) => field);
  assert.deepEqual(fields, ["involvedObject", "message", "related"]);
  assert.match(
    refused.failure.message ?? "",
    /message: Invalid value: "other": field is immutable, related: Invalid value: null/,
  );
  assert.equal((await patch(`${own}/older`, { deprecatedCount: 4 })).status, 422);
  assert.equal((await patch(`${core}/older`, { count: 4 })).status, 200);
  assert.equal((await get(`${own}/older`)).json.deprecatedCount, 4);
  assert.equal((await remove(`${own}/older`)).status, 200);
  assert.equal((await get(`${core}/older`)).status, 404);
  assert.equal((await get(`${own}/older`)).failure.message, 'events.events.k8s.io "older" not found');
});

test("both groups are told of in discovery, and describe their own form", async () => {
  const { get } = await startApi();
  const { resources } = (await get("/apis/events.k8s.io/v1")).json;
  assert.deepEqual([resources[0].name, resources[0].kind, resources[0].shortNames], ["events", "Event", ["ev"]]);
  const { paths, components } = (await get("/openapi/v3/apis/events.k8s.io/v1")).json;
  assert.ok(paths["/apis/events.k8s.io/v1/namespaces/{namespace}/events/{name}"]);
  assert.ok(components.schemas["io.k8s.api.events.v1.Event"].properties.regarding);
});
