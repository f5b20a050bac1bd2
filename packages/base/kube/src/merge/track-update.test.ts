import assert from "node:assert/strict";
import { test } from "node:test";
import type { Schema } from "@trivium/schema";
import { deepFreeze, type JsonObject } from "@trivium/std";
import { builtInSchema } from "../built-in.ts";
import type { AnyObject, ManagedFields } from "../object.ts";
import { keepTimes } from "./fields/managed-fields.ts";
import { resetFieldsOf } from "./fields/reset-fields.ts";
import { trackUpdate, type UpdateInput } from "./track-update.ts";

const configMaps = builtInSchema("", "v1", "ConfigMap") as Schema;
const text: Schema = { type: "string" };
const things: Schema = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      properties: {
        a: text,
        labels: { type: "object", additionalProperties: text },
        set: { type: "array", items: text, "x-kubernetes-list-type": "set" },
        free: { "x-kubernetes-preserve-unknown-fields": true, type: "object" },
      },
    },
  },
};

const configMap = (data: JsonObject): AnyObject =>
  deepFreeze({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c", uid: "u" }, data });
const thing = (spec: JsonObject): AnyObject =>
  deepFreeze({ apiVersion: "example.com/v1", kind: "Thing", metadata: { name: "t" }, spec });
const track = (input: Partial<UpdateInput> & { next: AnyObject }) =>
  trackUpdate({ schema: input.next.kind === "Thing" ? things : configMaps, manager: "m1", now: 0, ...input });
const withEntries = (object: AnyObject, managedFields: ManagedFields[]): AnyObject =>
  deepFreeze({ ...object, metadata: { ...object.metadata, managedFields } });
const owners = (entries: readonly ManagedFields[]) =>
  Object.fromEntries(entries.map((entry) => [entry.manager, entry.fieldsV1]));

test("a custom resource owns its maps, a built-in one not the structs it always has", () => {
  assert.deepEqual(owners(track({ next: thing({ a: "1", labels: {}, set: [] }) })), {
    m1: { "f:spec": { ".": {}, "f:a": {}, "f:labels": {}, "f:set": {} } },
  });
  const deployment: AnyObject = {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "d", namespace: "n", generation: 1, labels: {} },
    spec: {
      replicas: 1,
      selector: { matchLabels: { a: "b" } },
      strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: "25%" } },
      template: {
        metadata: { labels: { a: "b" } },
        spec: {
          containers: [{ name: "c", ports: [{ containerPort: 80, protocol: "TCP" }], env: [] }],
          securityContext: {},
        },
      },
    },
    status: {},
  };
  const schema = builtInSchema("apps", "v1", "Deployment") as Schema;
  const container = {
    ".": {},
    "f:name": {},
    "f:ports": {
      ".": {},
      'k:{"containerPort":80,"protocol":"TCP"}': { ".": {}, "f:containerPort": {}, "f:protocol": {} },
    },
    "f:resources": {},
  };
  assert.deepEqual(owners(trackUpdate({ next: deployment, schema, manager: "m1", now: 0, resetFields: ["status"] })), {
    m1: {
      "f:spec": {
        "f:replicas": {},
        "f:selector": {},
        "f:strategy": { "f:rollingUpdate": { ".": {}, "f:maxSurge": {} }, "f:type": {} },
        "f:template": {
          "f:metadata": { "f:labels": { ".": {}, "f:a": {} } },
          "f:spec": { "f:containers": { 'k:{"name":"c"}': container }, "f:securityContext": {} },
        },
      },
    },
  });
});

test("in structs, nulls of times and empty texts that always stand are nothing new", () => {
  const event: AnyObject = {
    apiVersion: "v1",
    kind: "Event",
    metadata: { name: "e" },
    involvedObject: { name: "p" },
    eventTime: null,
    firstTimestamp: "2026-01-01T00:00:00Z",
    reportingComponent: "",
    source: {},
  };
  const events = builtInSchema("", "v1", "Event") as Schema;
  assert.deepEqual(owners(trackUpdate({ next: event, schema: events, manager: "m1", now: 0 })), {
    m1: { "f:firstTimestamp": {}, "f:involvedObject": {} },
  });
  const deployment = (status: JsonObject): AnyObject => ({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "d" },
    status,
  });
  const live = withEntries(deployment({}), [
    { manager: "m0", operation: "Update", apiVersion: "apps/v1", fieldsType: "FieldsV1", fieldsV1: { "f:spec": {} } },
  ]);
  const next = { ...live, status: { conditions: [{ type: "A", status: "True", lastTransitionTime: null }] } };
  const schema = builtInSchema("apps", "v1", "Deployment") as Schema;
  const entries = trackUpdate({ live, next, schema, manager: "m1", subresource: "status", now: 0 });
  assert.deepEqual(owners(entries).m1, {
    "f:status": {
      "f:conditions": {
        ".": {},
        'k:{"type":"A"}': { ".": {}, "f:lastTransitionTime": {}, "f:status": {}, "f:type": {} },
      },
    },
  });
});

test("the writer takes what it changed, and everybody loses what is gone", () => {
  const made = withEntries(
    configMap({ a: "1", b: "1", c: "1" }),
    track({ next: configMap({ a: "1", b: "1", c: "1" }) }),
  );
  const entries = track({ live: made, next: { ...made, data: { a: "2", b: "1" } }, manager: "m2", now: 1000 });
  assert.deepEqual(owners(entries), { m1: { "f:data": { ".": {}, "f:b": {} } }, m2: { "f:data": { "f:a": {} } } });
  assert.deepEqual(
    entries.map(({ time }) => time),
    ["1970-01-01T00:00:00Z", "1970-01-01T00:00:01Z"],
  );
});

test("a write that changes nothing gives back the very entries", () => {
  const live = withEntries(configMap({ a: "1" }), track({ next: configMap({ a: "1" }) }));
  const next = structuredClone(live);
  assert.equal(track({ live, next, manager: "m2", now: 99_000 }), live.metadata.managedFields);
});

test("entries that come with the object are honoured where they can be read", () => {
  const own: ManagedFields = {
    manager: "x",
    operation: "Apply",
    apiVersion: "v1",
    fieldsType: "FieldsV1",
    fieldsV1: { "f:data": { "f:a": {} } },
  };
  const live = withEntries(configMap({ a: "1" }), track({ next: configMap({ a: "1" }) }));
  const stored = owners(live.metadata.managedFields ?? []);
  const rows: [string, unknown, object][] = [
    ["others", [own], { x: own.fieldsV1 }],
    [
      "spelled otherwise",
      [{ ...own, fieldsV1: { 'k:{ "b": 1, "a": "<" }': {} } }],
      { x: { 'k:{"a":"\\u003c","b":1}': {} } },
    ],
    ["a step not known", [{ ...own, fieldsV1: { "z:q": {}, "f:data": {} } }], { x: { "f:data": {} } }],
    ["none", undefined, stored],
    ["null", null, stored],
    ["an operation not known", [{ ...own, operation: "Guess" }], stored],
    ["no version", [{ ...own, apiVersion: "" }], stored],
    ["another type of fields", [{ ...own, fieldsType: "FieldsV2" }], stored],
    ["a broken step", [{ ...own, fieldsV1: { data: {} } }], stored],
    ["a broken key", [{ ...own, fieldsV1: { "k:{": {} } }], stored],
    ["a broken index", [{ ...own, fieldsV1: { "i:x": {} } }], stored],
    ["a text for fields", [{ ...own, fieldsV1: "f:data" }], stored],
    ["an empty list", [], {}],
    ["one empty entry", [{}], {}],
  ];
  for (const [name, given, wanted] of rows) {
    const next = { ...live, metadata: { ...live.metadata, managedFields: given } } as AnyObject;
    assert.deepEqual(owners(track({ live, next, manager: "m2" })), wanted, name);
  }
});

test("for custom resources an empty list is none given, and one empty entry still forgets", () => {
  const live = withEntries(thing({ a: "1" }), track({ next: thing({ a: "1" }) }));
  const given = (managedFields: ManagedFields[]) => track({ live, next: withEntries(live, managedFields) });
  assert.deepEqual(given([]), live.metadata.managedFields);
  assert.deepEqual(given([{}]), []);
});

test("entries that come through a subresource are not honoured", () => {
  const live = withEntries(thing({ a: "1" }), track({ next: thing({ a: "1" }) }));
  assert.equal(track({ live, next: withEntries(live, [{}]), subresource: "status" }), live.metadata.managedFields);
});

test("who forgot all owners has none until the next apply", () => {
  const live = configMap({ a: "1" });
  assert.deepEqual(track({ live, next: configMap({ a: "2" }) }), []);
});

test("a value that changes its kind is lost as what it was and owned as what it is", () => {
  const live = withEntries(thing({ free: { a: { x: 1 } } }), track({ next: thing({ free: { a: { x: 1 } } }) }));
  const entries = track({ live, next: { ...live, spec: { free: { a: "text" } } }, manager: "m2" });
  assert.deepEqual(owners(entries), {
    m1: { "f:spec": { ".": {}, "f:free": {} } },
    m2: { "f:spec": { "f:free": { "f:a": {} } } },
  });
});

test("what became atomic since is owned as one", () => {
  const old: ManagedFields = {
    manager: "m1",
    operation: "Update",
    apiVersion: "example.com/v1",
    fieldsType: "FieldsV1",
    fieldsV1: { "f:spec": { "f:labels": { "f:x": {} }, "f:a": {} } },
  };
  const schema = structuredClone(things);
  const labels = schema.properties?.spec?.properties?.labels as Schema;
  labels["x-kubernetes-map-type"] = "atomic";
  const live = withEntries(thing({ a: "1", labels: { x: "1" } }), [old]);
  const next = { ...live, spec: { a: "2", labels: { x: "1" } } };
  assert.deepEqual(owners(track({ live, next, schema, manager: "m2" })), {
    m1: { "f:spec": { "f:labels": {} } },
    m2: { "f:spec": { "f:a": {} } },
  });
});

test("items of a set that are there twice are owned as one", () => {
  const live = withEntries(thing({ set: ["a"] }), track({ next: thing({ set: ["a"] }) }));
  const entries = track({ live, next: { ...live, spec: { set: ["a", "a", "b"] } }, manager: "m2" });
  assert.deepEqual(owners(entries), {
    m1: { "f:spec": { ".": {}, "f:set": {} } },
    m2: { "f:spec": { "f:set": { 'v:"a"': {}, 'v:"b"': {} } } },
  });
});

test("of more than ten updaters the oldest are thrown together", () => {
  let live = withEntries(configMap({ x: "1" }), track({ next: configMap({ x: "1" }), manager: "kubectl-create" }));
  for (let round = 1; round <= 13; round++) {
    const next = { ...live, data: { ...(live.data as JsonObject), [`k${round}`]: "v" } };
    live = withEntries(next, track({ live, next, manager: `u${round}` }));
  }
  const kept = owners(live.metadata.managedFields ?? []);
  assert.deepEqual(Object.keys(kept), ["ancient-changes", "u13", "u2", "u3", "u4", "u5", "u6", "u7", "u8", "u9"]);
  assert.deepEqual(kept["ancient-changes"], {
    "f:data": { ".": {}, "f:k1": {}, "f:k10": {}, "f:k11": {}, "f:k12": {}, "f:x": {} },
  });
});

test("entries are in the order of operation, time and name", () => {
  const entry = (manager: string, operation: "Apply" | "Update", time?: string): ManagedFields => ({
    manager,
    operation,
    apiVersion: "v1",
    ...(time ? { time } : {}),
    fieldsType: "FieldsV1",
    fieldsV1: { "f:data": { [`f:${manager}`]: {} } },
  });
  const [early, late] = ["2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"];
  const live = withEntries(configMap({ z: "1" }), [
    entry("c", "Update", late),
    entry("b", "Update", late),
    entry("a", "Update", early),
    entry("y", "Apply", late),
    entry("x", "Apply"),
  ]);
  const entries = track({ live, next: { ...live, data: { z: "2" } }, manager: "new", now: Date.parse(early) });
  assert.deepEqual(
    entries.map(({ manager }) => manager),
    ["x", "y", "a", "new", "b", "c"],
  );
});

test("a manager without a name is unknown", () => {
  assert.equal(track({ next: configMap({ a: "1" }), manager: "" })[0]?.manager, "unknown");
});

test("times alone are no change", () => {
  const live: ManagedFields[] = [{ manager: "a", time: "2026-01-01T00:00:00Z", fieldsV1: { "f:x": {} } }];
  const touched: ManagedFields[] = [{ ...live[0], time: "2026-02-02T00:00:00Z" }];
  assert.deepEqual(keepTimes(live, touched), live);
  const changed: ManagedFields[] = [{ ...live[0], fieldsV1: { "f:y": {} } }];
  assert.equal(keepTimes(live, changed), changed);
});

test("what a write cannot change depends on what it is addressed to", () => {
  const target = { group: "", kind: "ConfigMap", origin: "built-in" as const, hasStatus: false };
  assert.deepEqual(resetFieldsOf(target), []);
  assert.deepEqual(resetFieldsOf({ ...target, kind: "Pod", hasStatus: true }), ["status"]);
  assert.deepEqual(resetFieldsOf({ ...target, kind: "Pod", hasStatus: true, subresource: "status" }), [
    "spec",
    "metadata.deletionTimestamp",
    "metadata.ownerReferences",
  ]);
  assert.deepEqual(resetFieldsOf({ ...target, origin: "custom", hasStatus: true, subresource: "status" }), [
    "metadata",
    "spec",
  ]);
});
