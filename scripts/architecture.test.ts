import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { type Architecture, faultsOfArchitecture } from "./architecture.ts";

const architecture = JSON.parse(readFileSync("architecture.json", "utf8")) as Architecture;
const faultsOf = (path: string, text: string): string[] => faultsOfArchitecture(architecture, [{ path, text }]);

test("arrows that point down are fine", () => {
  assert.deepEqual(
    faultsOf("packages/dialects/aim/src/a.ts", `import { x } from "@trivium/kube";\nimport "./b.ts";`),
    [],
  );
  assert.deepEqual(faultsOf("apps/cli/src/a.ts", `import { x } from "@trivium/local";`), []);
  assert.deepEqual(faultsOf("packages/platform/node/src/a.ts", `import "node:fs"; Date.now();`), []);
});

const broken: readonly (readonly [string, string, string, RegExp])[] = [
  [
    "base knows the platform",
    "packages/base/kube/src/a.ts",
    `import { x } from "@trivium/client";`,
    /may import only std, schema/,
  ],
  [
    "a lower base package knows a higher one",
    "packages/base/std/src/a.ts",
    `export * from "@trivium/schema";`,
    /may import only nothing/,
  ],
  [
    "one dialect knows another",
    "packages/dialects/aim/src/a.ts",
    `import { x } from "@trivium/ome";`,
    /may import only base, core/,
  ],
  [
    "the platform knows a dialect",
    "packages/platform/node/src/a.ts",
    `const x = await import("@trivium/aim");`,
    /platform\/node may import/,
  ],
  ["past the door", "packages/dialects/aim/src/a.ts", `import { x } from "@trivium/kube/src/kind.ts";`, /use the door/],
  [
    "past the wall",
    "packages/dialects/aim/src/a.ts",
    `import { x } from "../../ome/src/index.ts";`,
    /past the door of its package/,
  ],
  ["Node in base", "packages/base/std/src/a.ts", `import { readFileSync } from "node:fs";`, /imports a module of Node/],
  ["a clock in a dialect", "packages/dialects/aim/src/a.ts", `const now = Date.now();`, /reads the clock/],
  ["chance in core", "packages/core/engines/src/a.ts", `const x = Math.random();`, /uses randomness/],
  ["an unlisted package", "packages/core/magic/src/a.ts", "", /not listed/],
];
for (const [name, path, text, fault] of broken) {
  test(`refused: ${name}`, () => {
    const faults = faultsOf(path, text);
    assert.equal(faults.length, 1);
    assert.match(faults[0] ?? "", fault);
  });
}

test("a comment may speak of what code may not do", () => {
  assert.deepEqual(faultsOf("packages/base/std/src/a.ts", "/** never Date.now() here */\n// nor Math.random()"), []);
});

test("a test may use Node and the testkit", () => {
  assert.deepEqual(faultsOf("packages/base/std/src/a.test.ts", `import "node:test"; import "@trivium/testkit";`), []);
});

test("a test may start a real cluster; what ships may not", () => {
  const text = `import { startCluster } from "../../../tools/cluster/cluster.ts";`;
  assert.deepEqual(faultsOf("apps/operator/tests/a.cluster.ts", text), []);
  assert.equal(faultsOf("apps/operator/src/a.ts", text).length, 1);
});
