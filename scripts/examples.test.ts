import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { admitObject, apiVersionOf } from "@trivium/kube";
import { formatFieldError } from "@trivium/schema";
import type { JsonObject } from "@trivium/std";
import { parseAllDocuments } from "yaml";
import { dialects } from "./dialects.ts";

const root = join(import.meta.dirname, "..");
const kinds = dialects.flatMap((dialect) => dialect.kinds);

for (const path of globSync("examples/*/*.yaml", { cwd: root }).sort()) {
  test(`${path} is accepted as it stands`, () => {
    const objects = parseAllDocuments(readFileSync(join(root, path), "utf8")).map((each) => each.toJS() as JsonObject);
    assert.ok(objects.length > 0);
    for (const object of objects) {
      const kind = kinds.find((each) => apiVersionOf(each) === object.apiVersion && each.kind === object.kind);
      // Examples may bring along a Secret or another kind of Kubernetes.
      if (kind === undefined) continue;
      const { unknown, faults } = admitObject(kind, object);
      assert.deepEqual({ unknown, faults: faults.map(formatFieldError) }, { unknown: [], faults: [] });
    }
  });
}
