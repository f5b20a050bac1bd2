import type { Json, JsonObject } from "@trivium/std";
import { definition, gadgets, oldPlanets, planets } from "../fixtures.ts";
import { type CallStep, call, type Sequence, type Step, sequence } from "../sequence.ts";
import { definitionsOf } from "./kinds.ts";

const spec = (fields: JsonObject): CallStep => gadgets.create("a", { spec: fields });

/** One thing wrong in each. */
const faults: Record<string, JsonObject> = {
  "number too small": { size: 0 },
  "number too large": { size: 101 },
  "number of wrong type": { size: "3" },
  "fraction for an integer": { size: 1.5 },
  "whole fraction for an integer": { ratio: 2.0, size: 2.0 },
  "exclusive minimum": { ratio: 0 },
  "not in the enum": { colour: "pink" },
  "text too short": { name: "a" },
  "text too long": { name: "abcdefghi" },
  pattern: { name: "A1" },
  "two faults in one text": { name: "A" },
  "format date-time": { since: "yesterday" },
  "format ipv4": { address: "300.1.1.1" },
  "int or string": { quantity: true },
  "bool of wrong type": { on: "true" },
  "set with duplicates": { tags: ["a", "b", "a"] },
  "too many items": { tags: ["a", "b", "c", "d", "e", "f"] },
  "too few items": { words: [] },
  "items of wrong type": { words: ["a", 1, null] },
  "list-map duplicates": { ports: [{ number: 1 }, { number: 1 }] },
  "list-map duplicates by default": { ports: [{ number: 1, protocol: "TCP" }, { number: 1 }] },
  "required in item": { ports: [{ name: "x" }] },
  "map values": { settings: { a: "x" } },
  "too many properties": { settings: { a: 1, b: 2, c: 3, d: 4 } },
  "null where not allowed": { size: null, colour: null },
  "null with a default": { replicas: null },
  "null where allowed": { nothing: null },
  "null in list": { tags: [null] },
  "object for a list": { tags: {} },
  "list for an object": { nested: [] },
  "text for an object": { nested: "x" },
  several: { size: 0, colour: "pink", tags: ["a", "a"], words: [] },
  "rule: low above high": { low: 5, high: 4 },
  "rule: with path and expression": { high: 1000 },
  "rule: far too high": { high: 10000 },
  "rule: no message": { tags: ["bad"] },
  "rules after schema faults": { size: 0, low: 5, high: 4 },
  "embedded resource": { template: {} },
  "embedded resource with bad metadata": { template: { apiVersion: "v1", kind: "Pod", metadata: { name: 5 } } },
  "embedded resource as it should be": {
    template: { apiVersion: "v1", kind: "Pod", metadata: { name: "x", nope: 1 }, spec: { any: 1 } },
  },
  "int32 format": { replicas: 99999999999 },
  "large numbers": { size: 1e30 },
};

/** What comes back from a good object. */
const kept: Record<string, JsonObject> = {
  defaults: {},
  "defaults in nested": { nested: {} },
  "defaults stop at objects that are not there": { nested: { level: 1 } },
  "defaults in deep": { nested: { deep: {} } },
  "defaults in items": { ports: [{ number: 1 }, { number: 1, protocol: "UDP" }] },
  pruning: { nope: 1, nested: { nope: 2, deep: { nope: 3 } }, ports: [{ number: 1, nope: 4 }] },
  "free form is kept": { free: { a: { b: [1, { c: null }] } } },
  "embedded metadata is pruned": {
    template: { apiVersion: "v1", kind: "X", metadata: { name: "x", labels: { a: "b" }, nope: 1 }, more: 1 },
  },
  "int or string": { quantity: 5 },
  "int or string: string": { quantity: "5Gi" },
  floats: { ratio: 0.5 },
  "floats that are whole": { ratio: 3.0 },
  "large integers": { low: 9007199254740991 },
  empty: { tags: [], settings: {}, atom: {}, free: {} },
};

const ofObjects: Sequence[] = [
  ...Object.entries(faults).map(([name, fields]) => sequence(`custom/fault: ${name}`, spec(fields))),
  ...Object.entries(kept).map(([name, fields]) => sequence(`custom/kept: ${name}`, spec(fields), gadgets.get("a"))),
  sequence(
    "custom/strict: unknown fields",
    gadgets.create("a", { spec: { nope: 1 } }, "fieldValidation=Strict"),
    gadgets.create("a", { spec: { nope: 1 } }, "fieldValidation=Warn"),
    gadgets.create(
      "b",
      { nope: 1, spec: { nested: { x: 1 }, ports: [{ number: 1, y: 2 }] } },
      "fieldValidation=Strict",
    ),
  ),
  sequence(
    "custom/strict: unknown metadata",
    gadgets.create("a", { metadata: { nope: 1 } }, "fieldValidation=Strict"),
    gadgets.create("a", { metadata: { nope: 1 } }),
  ),
  sequence(
    "custom/strict: keys twice",
    gadgets.post(
      '{"apiVersion":"judge.example/v1","kind":"Gadget","metadata":{"name":"a"},"spec":{"size":1,"size":2}}',
      "fieldValidation=Strict",
    ),
    gadgets.post(
      '{"apiVersion":"judge.example/v1","kind":"Gadget","metadata":{"name":"a"},"spec":{"size":1,"size":2}}',
    ),
  ),
  sequence(
    "custom/strict: embedded resource",
    gadgets.create(
      "a",
      { spec: { template: { apiVersion: "v1", kind: "X", metadata: { nope: 1 } } } },
      "fieldValidation=Strict",
    ),
  ),
  sequence(
    "custom/wrong kind",
    gadgets.post({ apiVersion: "judge.example/v1", kind: "Other", metadata: { name: "a" } }),
    gadgets.post({ apiVersion: "judge.example/v2", kind: "Gadget", metadata: { name: "a" } }),
    gadgets.post({ apiVersion: "other.example/v1", kind: "Gadget", metadata: { name: "a" } }),
  ),
  sequence(
    "custom/no kind",
    gadgets.post({ metadata: { name: "a" } }),
    gadgets.post({ apiVersion: "judge.example/v1", metadata: { name: "a" } }),
    gadgets.post({ kind: "Gadget", metadata: { name: "a" } }),
  ),
  sequence(
    "custom/bad metadata",
    gadgets.create("A_b"),
    gadgets.create("a", { metadata: { labels: { "a b": "c" } } }),
    gadgets.create("a", { metadata: { labels: { a: 1 } } }),
    gadgets.create("a", { metadata: { annotations: "x" } }),
  ),
  sequence("custom/no body, no JSON", gadgets.post(""), gadgets.post("nope"), gadgets.post("[]"), gadgets.post("null")),
  sequence(
    "custom/put needs a version",
    gadgets.create("a"),
    gadgets.put("a", { spec: { size: 2 } }),
    gadgets.put("a", { metadata: { resourceVersion: "$1.metadata.resourceVersion" }, spec: { size: 2 } }),
    gadgets.put("b", { spec: {} }),
  ),
  sequence(
    "custom/transition rule",
    gadgets.create("a", { spec: { fixed: "x" } }),
    gadgets.merge("a", { spec: { fixed: "y" } }),
    gadgets.merge("a", { spec: { fixed: null } }),
    gadgets.merge("a", { spec: { fixed: "z" } }),
  ),
  sequence(
    "custom/generation",
    gadgets.create("a"),
    gadgets.merge("a", { metadata: { labels: { a: "b" } } }),
    gadgets.merge("a", { spec: { size: 1 } }),
    gadgets.merge("a/status", { status: { phase: "New" } }),
    gadgets.get("a"),
  ),
  sequence(
    "custom/status path",
    gadgets.create("a", { spec: { size: 1 }, status: { phase: "New" } }),
    gadgets.merge("a/status", {
      spec: { size: 2 },
      status: { phase: "Done", nope: 1 },
      metadata: { labels: { a: "b" } },
    }),
    gadgets.merge("a", { status: { phase: "New" } }),
    gadgets.get("a/status"),
    gadgets.merge("a/status", { status: { phase: "Other" } }),
  ),
  sequence(
    "custom/status put",
    gadgets.create("a", { spec: { size: 1 } }),
    gadgets.put("a/status", {
      metadata: { resourceVersion: "$1.metadata.resourceVersion" },
      spec: { size: 5 },
      status: { phase: "New" },
    }),
    gadgets.put("a/status", {
      metadata: { resourceVersion: "$1.metadata.resourceVersion" },
      status: { phase: "Done" },
    }),
    gadgets.put("a/status", { status: { phase: "Done" } }),
  ),
  sequence(
    "custom/status create and delete",
    call("POST", gadgets.at("a/status"), gadgets.object("a")),
    call("DELETE", gadgets.at("a/status")),
  ),
  sequence(
    "custom/scale",
    gadgets.create("a", { spec: { replicas: 3 } }),
    gadgets.get("a/scale"),
    gadgets.merge("a/status", { status: { replicas: 2, selector: "app=x" } }),
    gadgets.get("a/scale"),
    gadgets.merge("a/scale", { spec: { replicas: 7 } }),
    gadgets.get("a"),
  ),
  sequence(
    "custom/scale put",
    gadgets.create("a"),
    call("PUT", gadgets.at("a/scale"), {
      apiVersion: "autoscaling/v1",
      kind: "Scale",
      metadata: { name: "a", namespace: "{ns}" },
      spec: { replicas: 4 },
    }),
    call("PUT", gadgets.at("a/scale"), {
      apiVersion: "autoscaling/v1",
      kind: "Scale",
      metadata: { name: "a" },
      spec: { replicas: -1 },
    }),
    call("PUT", gadgets.at("a/scale"), {
      apiVersion: "autoscaling/v1",
      kind: "Scale",
      metadata: { name: "a", resourceVersion: "1" },
      spec: { replicas: 5 },
    }),
    call("PUT", gadgets.at("a/scale"), { kind: "Nope" }),
  ),
  sequence("custom/scale of absent", gadgets.get("a/scale"), gadgets.merge("a/scale", { spec: { replicas: 1 } })),
  sequence(
    "custom/table",
    gadgets.create("a", {
      spec: { size: 3, colour: "red", on: true, ratio: 0.25, tags: ["x", "y"], since: "2020-01-02T03:04:05Z" },
    }),
    gadgets.create("b"),
    gadgets.merge("a/status", {
      status: {
        conditions: [
          { type: "Other", status: "False" },
          { type: "Ready", status: "True" },
        ],
      },
    }),
    gadgets.table(),
    gadgets.table("a"),
    gadgets.table("b"),
  ),
  sequence("custom/partial", gadgets.create("a", { spec: { size: 3 } }), gadgets.partial("a"), gadgets.partial()),
  sequence("custom/without columns", planets.create("{id}", { spec: { mass: 1 } }), planets.table("{id}")),
  sequence(
    "custom/cluster-wide",
    planets.create("{id}", { spec: { mass: 1 } }),
    planets.get("{id}"),
    call("GET", "/apis/judge.example/v1/namespaces/{ns}/planets/{id}"),
    planets.create("{id}", { metadata: { namespace: "x" }, spec: { mass: 1 } }),
    planets.remove("{id}"),
  ),
  sequence(
    "custom/required at the root",
    planets.create("{id}"),
    planets.create("{id}", { spec: {} }),
    planets.create("{id}", { spec: { mass: 1, moons: [1] } }),
  ),
  sequence(
    "custom/two versions",
    planets.create("{id}", { spec: { mass: 1 } }),
    oldPlanets.get("{id}"),
    oldPlanets.merge("{id}", { spec: { mass: 2 } }),
    planets.get("{id}"),
    oldPlanets.remove("{id}"),
  ),
  sequence(
    "custom/two versions and apply",
    planets.apply("{id}", { spec: { mass: 1 } }, "one"),
    oldPlanets.apply("{id}", { spec: { mass: 2 } }, "one"),
    oldPlanets.apply("{id}", { spec: { mass: 3 } }, "two"),
    planets.get("{id}"),
    planets.remove("{id}"),
  ),
  sequence(
    "custom/status without subresource",
    planets.create("{id}", { spec: { mass: 1 }, status: { seen: true } }),
    planets.get("{id}/status"),
    planets.merge("{id}", { status: { seen: false } }),
    planets.remove("{id}"),
  ),
  sequence(
    "custom/delete answers",
    gadgets.create("a"),
    gadgets.remove("a"),
    gadgets.create("b", { metadata: { finalizers: ["a.b/c"] } }),
    gadgets.remove("b"),
    gadgets.merge("b", { spec: { size: 2 } }),
    gadgets.merge("b", { metadata: { finalizers: [] } }),
    gadgets.get("b"),
  ),
  sequence("custom/delete all", gadgets.create("a"), gadgets.create("b"), gadgets.removeAll(), gadgets.list()),
  sequence("custom/unknown subresource", gadgets.create("a"), gadgets.get("a/nope"), gadgets.get("a/log")),
  sequence(
    "custom/unknown version",
    call("GET", "/apis/judge.example/v9/namespaces/{ns}/gadgets"),
    call("GET", "/apis/judge.example/v1/namespaces/{ns}/nothings"),
  ),
];

type Change = (crd: { spec: JsonObject; metadata: JsonObject }) => void;
const base = (schema: JsonObject, version: JsonObject = {}): JsonObject =>
  definition("things", "Thing", { schema: { openAPIV3Schema: schema }, ...version }, "{id}.example");
const inSpec = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: "object",
  properties: { spec: { type: "object", properties, ...more } },
});
const tried = (crd: Json): Step => definitionsOf.post(crd, "dryRun=All");
const changed = (change: Change): JsonObject => {
  const crd = structuredClone(base(inSpec({ a: { type: "string" } })));
  change(crd as never);
  return crd;
};
const rule = (text: string, more: JsonObject = {}): JsonObject => ({
  "x-kubernetes-validations": [{ rule: text, ...more }],
});

/** CRDs that are refused, or taken with a remark. All are tried without being stored. */
const definitions: Record<string, JsonObject> = {
  good: base(inSpec({ a: { type: "string" } })),
  "no schema": changed((crd) => {
    crd.spec.versions = [{ name: "v1", served: true, storage: true }];
  }),
  "no versions": changed((crd) => {
    crd.spec.versions = [];
  }),
  "no storage version": changed((crd) => {
    crd.spec.versions = [{ name: "v1", served: true, storage: false, schema: { openAPIV3Schema: { type: "object" } } }];
  }),
  "two storage versions": changed((crd) => {
    crd.spec.versions = ["v1", "v2"].map((name) => ({
      name,
      served: true,
      storage: true,
      schema: { openAPIV3Schema: { type: "object" } },
    }));
  }),
  "same version twice": changed((crd) => {
    crd.spec.versions = [true, false].map((storage) => ({
      name: "v1",
      served: true,
      storage,
      schema: { openAPIV3Schema: { type: "object" } },
    }));
  }),
  "bad version name": changed((crd) => {
    crd.spec.versions = [{ name: "V_1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }];
  }),
  "name differs": changed((crd) => {
    crd.metadata.name = "other.{id}.example";
  }),
  "no group": changed((crd) => {
    crd.spec.group = "";
  }),
  "bad group": changed((crd) => {
    crd.spec.group = "no_dots";
    crd.metadata.name = "things.no_dots";
  }),
  "bad scope": changed((crd) => {
    crd.spec.scope = "Everywhere";
  }),
  "no names": changed((crd) => {
    crd.spec.names = {};
  }),
  "bad names": changed((crd) => {
    crd.spec.names = { plural: "Things", kind: "thing!", singular: "X", shortNames: ["A"], categories: ["B"] };
  }),
  "kind and listKind alike": changed((crd) => {
    crd.spec.names = { plural: "things", kind: "Thing", listKind: "Thing" };
  }),
  "k8s.io group": changed((crd) => {
    crd.spec.group = "{id}.k8s.io";
    crd.metadata.name = "things.{id}.k8s.io";
  }),
  preserveUnknownFields: changed((crd) => {
    crd.spec.preserveUnknownFields = true;
  }),
  "conversion webhook without config": changed((crd) => {
    crd.spec.conversion = { strategy: "Webhook" };
  }),
  "conversion unknown": changed((crd) => {
    crd.spec.conversion = { strategy: "Magic" };
  }),
  "schema without type": base({ properties: { spec: { type: "object" } } }),
  "schema of wrong root type": base({ type: "string" }),
  "property without type": base(inSpec({ a: {} })),
  "unknown type": base(inSpec({ a: { type: "text" } })),
  "array without items": base(inSpec({ a: { type: "array" } })),
  "properties and additionalProperties": base(
    inSpec({ a: { type: "object", properties: { b: { type: "string" } }, additionalProperties: { type: "string" } } }),
  ),
  "bad pattern": base(inSpec({ a: { type: "string", pattern: "[" } })),
  "bad default": base(inSpec({ a: { type: "integer", default: "x" } })),
  "default that is pruned": base(
    inSpec({ a: { type: "object", default: { nope: 1 }, properties: { b: { type: "string" } } } }),
  ),
  "set of objects": base(inSpec({ a: { type: "array", "x-kubernetes-list-type": "set", items: { type: "object" } } })),
  "map without keys": base(
    inSpec({
      a: {
        type: "array",
        "x-kubernetes-list-type": "map",
        items: { type: "object", properties: { k: { type: "string" } } },
      },
    }),
  ),
  "map with unknown key": base(
    inSpec({
      a: {
        type: "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["k"],
        items: { type: "object", properties: { z: { type: "string" } } },
      },
    }),
  ),
  "map with optional key": base(
    inSpec({
      a: {
        type: "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["k"],
        items: { type: "object", properties: { k: { type: "string" } } },
      },
    }),
  ),
  "unknown list type": base(
    inSpec({ a: { type: "array", "x-kubernetes-list-type": "bag", items: { type: "string" } } }),
  ),
  "list type on a text": base(inSpec({ a: { type: "string", "x-kubernetes-list-type": "set" } })),
  "unique items": base(inSpec({ a: { type: "array", uniqueItems: true, items: { type: "string" } } })),
  ref: base(inSpec({ a: { $ref: "#/x" } as never })),
  "any of with type": base(inSpec({ a: { type: "string", anyOf: [{ type: "string" }] } })),
  "metadata restricted": base({
    type: "object",
    properties: { metadata: { type: "object", properties: { labels: { type: "object" } } } },
  }),
  "metadata name restricted": base({
    type: "object",
    properties: { metadata: { type: "object", properties: { name: { type: "string", maxLength: 5 } } } },
  }),
  "nullable default": base(inSpec({ a: { type: "string", default: null } })),
  "unknown format": base(inSpec({ a: { type: "string", format: "nope" } })),
  "unknown keyword": base(inSpec({ a: { type: "string", nope: 1 } })),
  "minimum above maximum": base(inSpec({ a: { type: "integer", minimum: 5, maximum: 1 } })),
  "column without path": base(inSpec({}), { additionalPrinterColumns: [{ name: "A", type: "string" }] }),
  "column of bad type": base(inSpec({}), {
    additionalPrinterColumns: [{ name: "A", type: "object", jsonPath: ".spec.a" }],
  }),
  "column with bad path": base(inSpec({}), {
    additionalPrinterColumns: [{ name: "A", type: "string", jsonPath: ".spec[" }],
  }),
  "scale with bad paths": base(inSpec({}), {
    subresources: { scale: { specReplicasPath: "spec.a", statusReplicasPath: ".status.b" } },
  }),
  "scale without paths": base(inSpec({}), { subresources: { scale: {} } }),
  "selectable field unknown": base(inSpec({ a: { type: "string" } }), { selectableFields: [{ jsonPath: ".spec.b" }] }),
  "selectable field of bad type": base(inSpec({ a: { type: "object" } }), {
    selectableFields: [{ jsonPath: ".spec.a" }],
  }),
  "rule that does not parse": base(inSpec({ a: { type: "string", ...rule("self ==") } })),
  "rule of no bool": base(inSpec({ a: { type: "string", ...rule("self + 'x'") } })),
  "rule with unknown name": base(inSpec({ a: { type: "string", ...rule("other == 'x'") } })),
  "rule with unknown field": base(inSpec({ a: { type: "string" } }, rule("self.b == 'x'"))),
  "rule with wrong types": base(inSpec({ a: { type: "integer", ...rule("self == 'x'") } })),
  "rule that is empty": base(inSpec({ a: { type: "string", ...rule("") } })),
  "rule with an empty message": base(inSpec({ a: { type: "string", ...rule("true", { message: " " }) } })),
  "rule with a message of lines": base(inSpec({ a: { type: "string", ...rule("true", { message: "a\nb" }) } })),
  "rule with a bad message expression": base(
    inSpec({ a: { type: "integer", ...rule("true", { messageExpression: "self" }) } }),
  ),
  "rule with a bad path": base(inSpec({ a: { type: "string" } }, rule("true", { fieldPath: ".nope" }))),
  "rule with a bad reason": base(inSpec({ a: { type: "string", ...rule("true", { reason: "Because" }) } })),
  "rule with optionalOldSelf": base(inSpec({ a: { type: "string", ...rule("true", { optionalOldSelf: true }) } })),
  "rule that costs too much": base(
    inSpec({ a: { type: "array", items: { type: "string" }, ...rule("self.all(x, self.all(y, x == y))") } }),
  ),
  "rule that costs enough": base(
    inSpec({
      a: {
        type: "array",
        maxItems: 10,
        items: { type: "string", maxLength: 10 },
        ...rule("self.all(x, self.all(y, x == y))"),
      },
    }),
  ),
  "rules that cost too much together": base(
    inSpec({
      a: {
        type: "array",
        maxItems: 500,
        items: { type: "string", maxLength: 500, ...rule("self.matches('^a+$')") },
        ...rule("self.all(x, self.exists(y, x.contains(y)))"),
      },
    }),
  ),
  "rule with oldSelf in a list": base(
    inSpec({ a: { type: "array", maxItems: 5, items: { type: "string", ...rule("self == oldSelf") } } }),
  ),
  "rule on a bad place": base({ type: "object", not: rule("true") }),
  "rule with a long text": base(
    inSpec({ a: { type: "string", maxLength: 5, ...rule(`self == '${"x".repeat(200)}'`) } }),
  ),
};

const ofDefinitions: Sequence[] = [
  ...Object.entries(definitions).map(([name, crd]) => sequence(`definitions/${name}`, tried(crd))),
];

/** CRDs that are stored, change, and go. */
const widened = {
  type: "object",
  properties: {
    spec: { type: "object", properties: { a: { type: "string" }, b: { type: "string", default: "new" } } },
  },
};
const things = (rest = ""): string => `/apis/{id}.example/v1/namespaces/{ns}/things${rest}`;
const thing = { apiVersion: "{id}.example/v1", kind: "Thing", metadata: { name: "a" }, spec: { a: "1", b: "2" } };
const named = "things.{id}.example";
const served: Step = { is: "wait", method: "GET", path: things(), until: (status) => status === 200 };
const notServed: Step = { is: "wait", method: "GET", path: things(), until: (status) => status === 404 };
const established: Step = definitionsOf.wait(
  named,
  (_, body) =>
    JSON.stringify(body).includes('"Established","status":"True"') ||
    /"status":"True"[^}]*"type":"Established"/.test(JSON.stringify(body)),
);

const tight = inSpec(
  {
    a: { type: "string", maxLength: 5 },
    b: { type: "string" },
    l: { type: "array", maxItems: 5, items: { type: "string", maxLength: 4 } },
  },
  rule("!has(self.b) || self.b != 'no'", { message: "b is not no" }),
);
const change = (patch: JsonObject): Step =>
  call("PATCH", things("/a"), patch, { "content-type": "application/merge-patch+json" });

const lives: Sequence[] = [
  sequence(
    "definitions/life",
    definitionsOf.post(base(inSpec({ a: { type: "string" } }))),
    established,
    served,
    definitionsOf.get(named),
    call("POST", things(), thing),
    call("GET", things("/a")),
    definitionsOf.merge(named, {
      spec: { versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: widened } }] },
    }),
    { is: "wait", method: "GET", path: things("/a"), until: (_, body) => JSON.stringify(body).includes('"b":"new"') },
    call("GET", things("/a")),
    call(
      "PATCH",
      things("/a"),
      { metadata: { labels: { x: "y" } } },
      { "content-type": "application/merge-patch+json" },
    ),
    definitionsOf.remove(named),
    notServed,
    definitionsOf.get(named),
  ),
  sequence(
    "definitions/tightened under stored objects",
    definitionsOf.post(
      base(inSpec({ a: { type: "string" }, b: { type: "string" }, l: { type: "array", items: { type: "string" } } })),
    ),
    established,
    served,
    call("POST", things(), { ...thing, spec: { a: "too long", b: "x", l: ["too long", "ok"] } }),
    definitionsOf.merge(named, {
      spec: { versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: tight } }] },
    }),
    {
      is: "wait",
      method: "POST",
      path: `${things()}?dryRun=All`,
      body: { ...thing, metadata: { name: "z" }, spec: { a: "too long" } },
      until: (status) => status === 422,
    },
    call("GET", things("/a")),
    change({ spec: { b: "y" } }),
    change({ metadata: { labels: { x: "y" } } }),
    change({ spec: { a: "longer than that" } }),
    change({ spec: { l: ["too long", "ok", "more"] } }),
    change({ spec: { l: ["too long", "longest one"] } }),
    change({ spec: { a: "short" } }),
    change({ spec: { a: "too long" } }),
    call("POST", things(), { ...thing, metadata: { name: "b" }, spec: { a: "too long" } }),
    definitionsOf.remove(named),
  ),
  sequence(
    "definitions/immutable parts",
    definitionsOf.post(base(inSpec({}))),
    established,
    definitionsOf.merge(named, { spec: { group: "other.example" } }),
    definitionsOf.merge(named, { spec: { scope: "Cluster" } }),
    definitionsOf.merge(named, { spec: { names: { kind: "Other" } } }),
    definitionsOf.merge(named, { spec: { versions: [] } }),
    definitionsOf.remove(named),
  ),
  sequence(
    "definitions/table and partial",
    definitionsOf.post(base(inSpec({}))),
    established,
    definitionsOf.table(named),
    definitionsOf.partial(named),
    definitionsOf.remove(named),
  ),
  sequence(
    "definitions/stored version must stay",
    definitionsOf.post(base(inSpec({}))),
    established,
    definitionsOf.merge(named, {
      spec: { versions: [{ name: "v2", served: true, storage: true, schema: { openAPIV3Schema: widened } }] },
    }),
    definitionsOf.remove(named),
  ),
  sequence(
    "definitions/status path",
    definitionsOf.post(base(inSpec({}))),
    established,
    definitionsOf.merge(`${named}/status`, { status: { storedVersions: [] } }),
    definitionsOf.get(`${named}/status`),
    definitionsOf.remove(named),
  ),
];

export const custom: Sequence[] = [...ofObjects, ...ofDefinitions, ...lives];
