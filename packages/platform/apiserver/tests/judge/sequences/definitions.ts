import type { Json, JsonObject } from "@trivium/std";
import { definition } from "../fixtures.ts";
import { call, type Sequence, type Step, sequence } from "../sequence.ts";
import { definitionsOf } from "./kinds.ts";

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
const tries: Record<string, JsonObject> = {
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
  ...Object.entries(tries).map(([name, crd]) => sequence(`definitions/${name}`, tried(crd))),
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

export const definitions: Sequence[] = [...ofDefinitions, ...lives];
