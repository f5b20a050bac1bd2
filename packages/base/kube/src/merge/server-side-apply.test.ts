import assert from "node:assert/strict";
import { test } from "node:test";
import type { Schema } from "@trivium/schema";
import { deepFreeze, type JsonObject } from "@trivium/std";
import { builtInSchema } from "../built-in.ts";
import type { AnyObject, ManagedFields } from "../object.ts";
import { conflictStatus } from "./apply-conflict.ts";
import { PatchError } from "./patch/patch-error.ts";
import { type ApplyInput, applyServerSide } from "./server-side-apply.ts";
import { trackUpdate } from "./track-update.ts";

const text: Schema = { type: "string" };
const schema: Schema = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      properties: {
        a: text,
        b: text,
        number: { type: "integer" },
        labels: { type: "object", additionalProperties: text },
        atomic: { type: "object", "x-kubernetes-map-type": "atomic", additionalProperties: text },
        list: { type: "array", items: text },
        set: { type: "array", items: text, "x-kubernetes-list-type": "set" },
        items: {
          type: "array",
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["name", "port"],
          items: { type: "object", properties: { name: text, port: { type: "integer", default: 80 }, value: text } },
        },
        deep: { type: "object", properties: { x: { type: "object", properties: { y: text, z: text } } } },
        free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
      },
    },
    status: { type: "object", properties: { phase: text } },
  },
};

const day = 86_400_000;
const head = { apiVersion: "example.com/v1", kind: "Thing" };
const thing = (spec: JsonObject): AnyObject => deepFreeze({ ...head, metadata: { name: "t" }, spec });

function apply(input: Partial<ApplyInput> & { applied: AnyObject }): AnyObject {
  const result = applyServerSide({ schema, manager: "m1", force: false, now: 0, ...input });
  assert.ok("object" in result, JSON.stringify(result));
  return deepFreeze(result.object);
}

function refuse(input: Partial<ApplyInput> & { applied: AnyObject }): string {
  const result = applyServerSide({ schema, manager: "m2", force: false, now: 0, ...input });
  assert.ok("conflicts" in result, JSON.stringify(result));
  return conflictStatus(result.conflicts).message ?? "";
}

/** An update by a manager: the object as it then is stored. */
function update(live: AnyObject, spec: JsonObject, manager: string, now = 0): AnyObject {
  const next = { ...live, spec };
  const managedFields = trackUpdate({ live, next, schema, manager, now });
  return deepFreeze({ ...next, metadata: { ...live.metadata, managedFields } });
}

const spec = (object: AnyObject) => object.spec;
const ownedBy = (object: AnyObject, manager: string, operation = "Apply") =>
  object.metadata.managedFields?.find((entry) => entry.manager === manager && entry.operation === operation)?.fieldsV1;

test("the first apply makes the object and owns what it says", () => {
  const made = apply({ applied: thing({ a: "1", labels: { x: "y" }, list: ["i"], deep: {} }) });
  assert.deepEqual(made, {
    ...head,
    metadata: {
      name: "t",
      managedFields: [
        {
          manager: "m1",
          operation: "Apply",
          apiVersion: "example.com/v1",
          time: "1970-01-01T00:00:00Z",
          fieldsType: "FieldsV1",
          fieldsV1: { "f:spec": { "f:a": {}, "f:deep": {}, "f:labels": { "f:x": {} }, "f:list": {} } },
        },
      ],
    },
    spec: { a: "1", labels: { x: "y" }, list: ["i"], deep: {} },
  });
});

test("what a manager stops sending goes, unless another one owns it", () => {
  let live = apply({
    applied: thing({ a: "1", b: "2", labels: { x: "1", y: "2" }, items: [{ name: "p" }, { name: "q" }] }),
  });
  live = apply({ live, applied: thing({ b: "2", labels: { y: "2" }, items: [{ name: "q" }] }), manager: "m2" });
  live = apply({ live, applied: thing({ number: 1 }) });
  assert.deepEqual(spec(live), { b: "2", labels: { y: "2" }, items: [{ name: "q" }], number: 1 });
  assert.deepEqual(ownedBy(live, "m1"), { "f:spec": { "f:number": {} } });
});

test("what nobody owns stays", () => {
  const made = apply({ applied: thing({ a: "1" }) });
  const live = { ...made, spec: { ...(made.spec as JsonObject), b: "defaulted" } };
  assert.deepEqual(spec(apply({ live, applied: thing({}) })), { b: "defaulted" });
});

test("equal values are shared, and no time is set where only ownership changed", () => {
  const live = apply({ applied: thing({ a: "1" }), now: day });
  const shared = apply({ live, applied: thing({ a: "1" }), manager: "m2", now: 2 * day });
  const [first, second] = shared.metadata.managedFields as [ManagedFields, ManagedFields];
  assert.deepEqual(
    [first.manager, first.time, second.manager, second.time],
    ["m2", undefined, "m1", "1970-01-02T00:00:00Z"],
  );
  const left = apply({ live: shared, applied: thing({}), now: day });
  assert.deepEqual(spec(left), { a: "1" });
  assert.deepEqual(ownedBy(left, "m1"), { "f:spec": {} });
});

test("applying the same again changes nothing, not even a time", () => {
  const live = apply({ applied: thing({ a: "1", items: [{ name: "p", value: "v" }] }) });
  assert.deepEqual(apply({ live, applied: thing({ a: "1", items: [{ name: "p", value: "v" }] }), now: day }), live);
});

test("another value is a conflict, named as a real server names it", () => {
  const live = apply({ applied: thing({ a: "1", items: [{ name: "p", value: "v" }], list: ["x"] }) });
  assert.equal(
    refuse({ live, applied: thing({ a: "2" }) }),
    'Apply failed with 1 conflict: conflict with "m1": .spec.a',
  );
  assert.equal(
    refuse({ live, applied: thing({ a: "2", list: [], items: [{ name: "p", value: "w" }] }) }),
    'Apply failed with 3 conflicts: conflicts with "m1":\n- .spec.a\n- .spec.list\n- .spec.items[name="p",port=80].value',
  );
  const updated = update(live, { ...(live.spec as JsonObject), number: 1 }, "kubectl-edit");
  assert.equal(
    refuse({ live: updated, applied: thing({ a: "2", number: 2 }) }),
    'Apply failed with 2 conflicts: conflicts with "kubectl-edit" using example.com/v1:\n- .spec.number\nconflicts with "m1":\n- .spec.a',
  );
});

test("the answer to conflicts is a whole Status", () => {
  const live = apply({ applied: thing({ a: "1" }), subresource: "status" });
  const result = applyServerSide({ live, applied: thing({ a: "2" }), schema, manager: "m2", force: false, now: 0 });
  assert.ok("conflicts" in result);
  assert.deepEqual(conflictStatus(result.conflicts), {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: 'Apply failed with 1 conflict: conflict with "m1" with subresource "status": .spec.a',
    reason: "Conflict",
    details: {
      causes: [
        { reason: "FieldManagerConflict", message: 'conflict with "m1" with subresource "status"', field: ".spec.a" },
      ],
    },
    code: 409,
  });
});

test("force takes the field", () => {
  const live = apply({ applied: thing({ a: "1", b: "1" }) });
  const forced = apply({ live, applied: thing({ a: "2" }), manager: "m2", force: true });
  assert.deepEqual(spec(forced), { a: "2", b: "1" });
  assert.deepEqual(ownedBy(forced, "m1"), { "f:spec": { "f:b": {} } });
  assert.deepEqual(ownedBy(forced, "m2"), { "f:spec": { "f:a": {} } });
});

test("updates by the same name stay apart from applies", () => {
  const live = apply({ applied: thing({ a: "1" }) });
  const updated = update(live, { a: "1", b: "2" }, "m1");
  assert.deepEqual(ownedBy(updated, "m1", "Update"), { "f:spec": { "f:b": {} } });
  assert.deepEqual(ownedBy(updated, "m1"), { "f:spec": { "f:a": {} } });
  const emptied = apply({ live: updated, applied: thing({}) });
  assert.deepEqual(spec(emptied), { b: "2" });
});

test("lists and maps change hands as their schema says", () => {
  const rows: [string, JsonObject, JsonObject, JsonObject][] = [
    ["items of a set", { set: ["a", "b"] }, { set: ["c", "a"] }, { set: ["c", "a", "b"] }],
    [
      "items of a list map",
      { items: [{ name: "p", value: "1" }] },
      { items: [{ name: "q" }] },
      { items: [{ name: "p", value: "1" }, { name: "q" }] },
    ],
    [
      "a default key",
      { items: [{ name: "p", value: "1" }] },
      { items: [{ name: "p", port: 80 }] },
      { items: [{ name: "p", value: "1", port: 80 }] },
    ],
    [
      "another key",
      { items: [{ name: "p" }] },
      { items: [{ name: "p", port: 81 }] },
      { items: [{ name: "p" }, { name: "p", port: 81 }] },
    ],
    ["free fields", { free: { a: { x: 1 } } }, { free: { a: { y: 2 } } }, { free: { a: { x: 1, y: 2 } } }],
    ["the order of the newcomer", { set: ["a", "b", "c"] }, { set: ["c", "x", "a"] }, { set: ["b", "c", "x", "a"] }],
  ];
  for (const [name, first, second, wanted] of rows) {
    const live = apply({ applied: thing(first) });
    assert.deepEqual(spec(apply({ live, applied: thing(second), manager: "m2" })), wanted, name);
  }
  for (const [first, second, field] of [
    [{ atomic: { a: "1" } }, { atomic: { b: "1" } }, ".spec.atomic"],
    [{ list: ["a"] }, { list: ["a", "b"] }, ".spec.list"],
    [{ free: { l: [1] } }, { free: { l: [2] } }, ".spec.free.l"],
  ] as const) {
    const live = apply({ applied: thing(first as unknown as JsonObject) });
    const reported = refuse({ live, applied: thing(second as unknown as JsonObject) });
    assert.equal(reported, `Apply failed with 1 conflict: conflict with "m1": ${field}`);
  }
});

test("an object that nobody kept account of belongs to a manager made up for it", () => {
  const live = deepFreeze({ ...head, metadata: { name: "t", uid: "u" }, spec: { a: "1" } });
  assert.match(
    refuse({ live, applied: thing({ a: "2" }) }),
    /conflict with "before-first-apply" using example.com\/v1: .spec.a/,
  );
  const taken = apply({ live, applied: thing({ a: "1" }) });
  assert.deepEqual(ownedBy(taken, "before-first-apply", "Update"), { "f:spec": { ".": {}, "f:a": {} } });
});

test("fields that a write cannot change are neither owned nor contested", () => {
  const applied = deepFreeze({ ...thing({ a: "1" }), status: { phase: "x" } });
  const made = apply({ applied, resetFields: ["status"] });
  assert.deepEqual(ownedBy(made, "m1"), { "f:spec": { "f:a": {} } });
});

test("a configuration that cannot be merged is refused in the words of a real server", () => {
  const rows: [JsonObject, string][] = [
    [{ sise: 1 }, ".spec.sise: field not declared in schema"],
    [{ number: "x" }, ".spec.number: expected numeric (int or float), got string"],
    [{ items: [{ name: "x" }, { name: "x" }] }, '.spec.items: duplicate entries for key [name="x",port=80]'],
    [{ set: ["x", "x"] }, '.spec.set: duplicate entries for key [="x"]'],
    [{ set: [null] }, ".spec.set: element 0: associative list without keys has an element that's an explicit null"],
    [{ items: [null] }, ".spec.items: element 0: associative list with keys may not have a null element"],
    [{ sise: 1, number: 2 }, ".spec.sise: field not declared in schema"],
  ];
  for (const [given, fault] of rows) {
    const words = `failed to create typed patch object (/t; example.com/v1, Kind=Thing): ${fault}`;
    assert.throws(
      () => apply({ applied: thing(given) }),
      (error) => error instanceof PatchError && error.code === 500 && error.message === words,
    );
  }
  const withAccount = { ...thing({}), metadata: { name: "t", managedFields: [] } };
  assert.throws(() => apply({ applied: withAccount }), { code: 400, message: "metadata.managedFields must be nil" });
});

test("an object without a namespace, or with a null one, is named the same in a refusal", () => {
  const applied = { ...thing({ sise: 1 }), metadata: { name: "t", namespace: null } } as unknown as AnyObject;
  assert.throws(() => apply({ applied }), /failed to create typed patch object \(\/t; /);
});

test("an empty map that was merged in and comes to nothing leaves object and times as they were", () => {
  const input = { schema: configMaps, manager: "m1", force: false };
  const first = applyServerSide({ ...input, applied: configMap({}), now: 0 });
  assert.ok("object" in first);
  assert.equal("data" in first.object, false);
  const again = applyServerSide({ ...input, live: first.object, applied: configMap({}), now: day });
  assert.deepEqual(again, first);
});

test("names that only look like properties are just names", () => {
  const applied = thing({ labels: JSON.parse('{"__proto__": "x", "constructor": "y"}') });
  const made = apply({ applied });
  assert.deepEqual(Object.keys((made.spec as { labels: object }).labels), ["__proto__", "constructor"]);
  assert.deepEqual(spec(apply({ live: made, applied: thing({ labels: { constructor: "y" } }) })), {
    labels: { constructor: "y" },
  });
});

const annotation = "kubectl.kubernetes.io/last-applied-configuration";
const configMaps = builtInSchema("", "v1", "ConfigMap") as Schema;

function configMap(data: JsonObject, annotations?: Record<string, string>): AnyObject {
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "c", ...(annotations ? { annotations } : {}) },
    data,
  };
}

/** As client-side `kubectl apply` leaves an object. */
function clientSide(data: JsonObject, last: unknown): AnyObject {
  const next = configMap(data, { [annotation]: JSON.stringify(last) });
  const managedFields = trackUpdate({ next, schema: configMaps, manager: "kubectl-client-side-apply", now: 0 });
  return { ...next, metadata: { ...next.metadata, uid: "u", managedFields } };
}

test("kubectl takes over what its client-side apply set, and keeps the annotation up to date", () => {
  const live = clientSide({ a: "1", b: "<&>" }, configMap({ a: "1", b: "<&>" }));
  const result = applyServerSide({
    live,
    applied: configMap({ a: "2", b: "<&>" }),
    schema: configMaps,
    manager: "kubectl",
    force: false,
    now: 0,
  });
  assert.ok("object" in result);
  assert.deepEqual(result.object.data, { a: "2", b: "<&>" });
  assert.equal(
    result.object.metadata.annotations?.[annotation],
    '{"apiVersion":"v1","data":{"a":"2","b":"\\u003c\\u0026\\u003e"},"kind":"ConfigMap","metadata":{"name":"c"}}\n',
  );
});

test("the annotation that kubectl keeps does not hold itself, nor nulls", () => {
  const live = clientSide({ a: "1" }, configMap({ a: "1" }));
  const annotations = { [annotation]: "old", x: null, y: "1" } as unknown as Record<string, string>;
  const applied = configMap({ a: "1" }, annotations);
  const result = applyServerSide({ live, applied, schema: configMaps, manager: "kubectl", force: true, now: 0 });
  assert.ok("object" in result);
  const kept = JSON.parse(result.object.metadata.annotations?.[annotation] ?? "");
  assert.deepEqual(kept.metadata, { annotations: { x: "", y: "1" }, name: "c" });
});

test("kubectl takes over nothing that changed since, and others take over nothing at all", () => {
  const changed = clientSide({ a: "1" }, configMap({ a: "0" }));
  const unreadable = clientSide({ a: "1" }, "no object");
  const fine = clientSide({ a: "1" }, configMap({ a: "1" }));
  for (const [live, manager] of [
    [changed, "kubectl"],
    [unreadable, "kubectl"],
    [fine, "helm"],
  ] as const) {
    const result = applyServerSide({
      live,
      applied: configMap({ a: "2" }),
      schema: configMaps,
      manager,
      force: false,
      now: 0,
    });
    assert.ok("conflicts" in result);
    assert.equal(
      conflictStatus(result.conflicts).message,
      'Apply failed with 1 conflict: conflict with "kubectl-client-side-apply" using v1: .data.a',
    );
  }
});

test("in built-in objects an empty map is left out of the store but owned by who applied it", () => {
  const first = applyServerSide({
    applied: { ...configMap({ a: "1" }), binaryData: {} },
    schema: configMaps,
    manager: "m1",
    force: false,
    now: 0,
  });
  assert.ok("object" in first);
  const { binaryData: _, ...live } = first.object;
  const second = applyServerSide({
    live: live as AnyObject,
    applied: { ...configMap({}), binaryData: {} },
    schema: configMaps,
    manager: "m2",
    force: false,
    now: 0,
  });
  assert.ok("conflicts" in second);
  assert.equal(second.conflicts[0]?.field, ".binaryData");
});

test("a null in a built-in object is a field left out, or an empty text under a free key", () => {
  const applied = { ...configMap({ a: null, b: "1" }), immutable: null };
  const result = applyServerSide({ applied, schema: configMaps, manager: "m1", force: false, now: 0 });
  assert.ok("object" in result);
  assert.deepEqual(result.object.data, { a: "", b: "1" });
  assert.equal("immutable" in result.object, false);
});
