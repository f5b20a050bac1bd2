import assert from "node:assert/strict";
import { test } from "node:test";
import { int32, intOrString, list, listMap, map, obj, oneOf, opt, quantity, str, time } from "./author.ts";
import { emitReferencePage, type ReferenceKind } from "./reference.ts";
import type { Schema } from "./schema.ts";

const Elsewhere: Schema = { type: "object", properties: { hidden: { type: "string" } } };

const spec = obj("What is wanted", {
  mode: opt(oneOf("How", ["a|b", "c"], { default: "c" })),
  size: opt(quantity("How big")),
  port: opt(intOrString("Where")),
  count: int32("How many", { minimum: 1, maximum: 3 }),
  names: opt(list("Their names", str("", { minLength: 2 }), { maxItems: 5, nullable: true })),
  parts: opt(listMap("Parts", ["name"], obj("", { name: str("Of the part") }))),
  labels: opt(map("Labels", str(""))),
  pod: opt<object>({ ...Elsewhere, description: "The pod" }),
  pods: opt(list<object>("Pods", Elsewhere)),
});

const kind: ReferenceKind = {
  group: "example.org",
  version: "v1",
  kind: "Thing",
  plural: "things",
  singular: "thing",
  shortNames: ["th"],
  categories: ["all"],
  namespaced: false,
  hasStatus: true,
  scale: { specReplicasPath: ".spec.count", statusReplicasPath: ".status.count" },
  columns: [{ name: "Mode", jsonPath: ".spec.mode", priority: 1 }],
  schema: obj(
    "A thing",
    { spec, status: opt(obj("What is", { since: opt(time("Since when")) })) },
    {
      rules: [{ rule: "self.spec.count > 1" }, { rule: "true", message: "always" }],
    },
  ),
};

test("a page lists the names, the columns, the rules and every field", () => {
  const link = { name: "Elsewhere", link: "https://example.org/elsewhere" };
  const page = emitReferencePage(kind, (schema) => (schema.properties === Elsewhere.properties ? link : undefined));
  assert.equal(
    page,
    `# Thing

A thing

|  |  |
|---|---|
| API version | \`example.org/v1\` |
| Names for \`kubectl\` | \`things\`, \`thing\`, \`th\` |
| Scope | the whole cluster |
| Categories | \`all\` |
| Subresources | \`status\`, \`scale\` (\`.spec.count\`, \`.status.count\`) |

## Columns of \`kubectl get\`

| Column | Value | Shown |
|---|---|---|
| Mode | \`.spec.mode\` | with \`-o wide\` |

## Rules

- \`self.spec.count > 1\`
- always

## spec

What is wanted

| Field | Type | Default | Rules | Meaning |
|---|---|---|---|---|
| \`spec.mode\` | string | \`"c"\` | one of \`a\\|b\`, \`c\` | How |
| \`spec.size\` | quantity |  |  | How big |
| \`spec.port\` | integer or string |  |  | Where |
| \`spec.count\` | integer |  | required; 1 to 3 | How many |
| \`spec.names\` | list of string |  | at most 5 entries; may be null; each: at least 2 characters | Their names |
| \`spec.parts\` | list of object |  | entries have unique \`name\` | Parts |
| \`spec.parts[].name\` | string |  | required | Of the part |
| \`spec.labels\` | map of string |  |  | Labels |
| \`spec.pod\` | [Elsewhere](https://example.org/elsewhere) |  |  | The pod |
| \`spec.pods\` | list of [Elsewhere](https://example.org/elsewhere) |  |  | Pods |

## status

What is

| Field | Type | Default | Rules | Meaning |
|---|---|---|---|---|
| \`status.since\` | time |  |  | Since when |
`,
  );
});

test("null is not promised for an enum, since an API server refuses it there", () => {
  const schema = obj("", {
    spec: obj("", { a: opt(oneOf("A", ["x"], { nullable: true })), b: opt(str("B", { nullable: true })) }),
  });
  const page = emitReferencePage({ ...kind, schema });
  assert.match(page, /`spec\.a` \| string \| {2}\| one of `x` \|/);
  assert.match(page, /`spec\.b` \| string \| {2}\| may be null \|/);
});

test("a description with line breaks stays one cell", () => {
  const page = emitReferencePage({ ...kind, schema: obj("", { spec: obj("", { a: str("one\n two | three") }) }) });
  assert.ok(page.includes("| one two \\| three |"));
});
