import assert from "node:assert/strict";
import { test } from "node:test";
import type { ServiceRow } from "@trivium/explain";
import { countStatuses, defaultView, type TableView, viewRows } from "./service-table.ts";

const row = (name: string, fields: Partial<ServiceRow> = {}): ServiceRow => ({
  ...{ name, namespace: "default", api: "ome", model: "tiny", profile: "-", replicas: "1/1", status: "Ready" },
  ...{ reason: "Ready", created: "2026-01-01T00:00:00Z", cause: "" },
  object: {} as ServiceRow["object"],
  ...fields,
});
const rows = [
  row("chat"),
  row("code", { status: "Failed", cause: "No node has an MI300X GPU", api: "aim", created: "2026-01-03T00:00:00Z" }),
  row("draft", { status: "Progressing", model: "llama", replicas: "0/10" }),
  row("embed", { status: "Idle", namespace: "team", replicas: "0/2" }),
];
const namesIn = (view: Partial<TableView>): string[] =>
  viewRows(rows, { ...defaultView, ...view }).map(({ name }) => name);

test("what needs a person comes first, and a header turns the order round", () => {
  assert.deepEqual(namesIn({}), ["code", "draft", "embed", "chat"]);
  assert.deepEqual(namesIn({ isDescending: true }), ["chat", "embed", "draft", "code"]);
  assert.deepEqual(namesIn({ sort: "name" }), ["chat", "code", "draft", "embed"]);
  assert.deepEqual(namesIn({ sort: "created" }), ["code", "chat", "draft", "embed"]);
  assert.deepEqual(namesIn({ sort: "replicas" }), ["embed", "draft", "chat", "code"]);
});

test("a filter finds its words in any cell", () => {
  assert.deepEqual(namesIn({ filter: "mi300x" }), ["code"]);
  assert.deepEqual(namesIn({ filter: "  TEAM idle " }), ["embed"]);
  assert.deepEqual(namesIn({ filter: "nothing" }), []);
  assert.deepEqual(namesIn({ apis: ["aim"] }), ["code"]);
  assert.deepEqual(namesIn({ statuses: ["Idle", "Ready"], sort: "name" }), ["chat", "embed"]);
});

test("states are counted in the order of their urgency", () => {
  assert.deepEqual(
    countStatuses([...rows, row("more")]).map(({ status, count }) => `${status} ${count}`),
    ["Failed 1", "Progressing 1", "Idle 1", "Ready 2"],
  );
});
