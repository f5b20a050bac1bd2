import assert from "node:assert/strict";
import { test } from "node:test";
import { ConfigMap } from "@trivium/kube";
import { absent, known } from "@trivium/std";
import { type Part, withParts } from "./part.ts";
import type { Reader } from "./shape.ts";

const entry: Part<ConfigMap, string | undefined> = { name: "entry", of: ({ data }) => data?.entry };
const report = (name: string, data: Record<string, string>): ConfigMap => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name },
  data,
});
const reports = [report("a", { entry: "1" }), report("b", { other: "2" }), report("c", { entry: "" })];

test("a reader of whole objects hands out parts, and lists those objects that have them", () => {
  const reader = withParts({
    get: (_: unknown, { name }: { name: string }) => {
      const found = reports.find(({ metadata }) => metadata.name === name);
      return found === undefined ? absent : known(found);
    },
    list: () => reports,
  } as unknown as Reader);
  assert.deepEqual(reader.listParts(ConfigMap, {}, entry), ["1", ""]);
  assert.deepEqual(reader.getPart(ConfigMap, { name: "a" }, entry), known("1"));
  assert.deepEqual(reader.getPart(ConfigMap, { name: "b" }, entry), known(undefined));
  assert.deepEqual(reader.getPart(ConfigMap, { name: "x" }, entry), absent);
});
