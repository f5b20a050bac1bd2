import assert from "node:assert/strict";
import { test } from "node:test";
import { processOf } from "./test-processes.ts";

test("unit tests share one process, the tests of a folder another, and what starts programs has its own", () => {
  const cases: [string, string][] = [
    ["packages/base/std/src/time.test.ts", "units"],
    ["apps/cli/src/subject.test.ts", "units"],
    ["scripts/documents.test.ts", "units"],
    ["packages/platform/apiserver/tests/api/quota.test.ts", "packages/platform/apiserver/tests/api"],
    ["packages/dialects/aim/tests/catalog.test.ts", "packages/dialects/aim/tests"],
    ["packages/dialects/aim/tests/serving-stories.test.ts", "packages/dialects/aim/tests/serving-stories.test.ts"],
    ["apps/cli/tests/up.test.ts", "apps/cli/tests/up.test.ts"],
    ["packages/platform/node/tests/chaos.test.ts", "packages/platform/node/tests/chaos.test.ts"],
  ];
  for (const [path, expected] of cases) assert.equal(processOf(path), expected);
});
