import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json } from "@trivium/std";
import { differencesOf, valueAt } from "./compare.ts";

const pod = {
  metadata: { labels: { app: "web", "team.example/tier": "gold" } },
  spec: { containers: [{ name: "main", args: ["--port", "80"] }] },
  status: { conditions: [{ type: "Ready", status: "True" }], restarts: 0 },
};

test("paths enter lists by type, by name and by number, and names with dots in parentheses", () => {
  assert.equal(valueAt(pod, "status.conditions.Ready.status"), "True");
  assert.deepEqual(valueAt(pod, "spec.containers.main.args"), ["--port", "80"]);
  assert.equal(valueAt(pod, "spec.containers.0.args.1"), "80");
  assert.equal(valueAt(pod, "metadata.labels.(team.example/tier)"), "gold");
  assert.equal(valueAt(pod, "status.conditions.Gone.status"), undefined);
  assert.equal(valueAt(pod, "status.restarts.deeper"), undefined);
});

test("what is named is compared, and nothing else", () => {
  const same: Json[] = [
    {},
    { "status.restarts": 0 },
    { "status.conditions.Ready": { status: "True" } },
    { "spec.containers.0.args": "/--port.*80/" },
    { "status.gone": "absent" },
    { "metadata.labels": { app: "/^w/", "(team.example/tier)": "gold" } },
    { "spec.containers": [{ name: "main" }] },
  ];
  for (const expected of same) assert.deepEqual(differencesOf(pod, expected), []);
});

test("every difference is told with its place", () => {
  const cases: [Json, string][] = [
    [{ "status.restarts": 1 }, "status.restarts: 0, not 1"],
    [{ "status.restarts": "absent" }, "status.restarts: 0 is there"],
    [{ "status.conditions.Ready": { status: "False" } }, 'status.conditions.Ready.status: "True", not "False"'],
    [{ "status.conditions.Gone.status": "True" }, 'status.conditions.Gone.status: nothing, not "True"'],
    [{ "spec.containers.0.args": "/--host/" }, 'spec.containers.0.args: ["--port","80"] does not match /--host/'],
    [{ "spec.containers.0.args": ["--port"] }, 'spec.containers.0.args: ["--port","80"], not ["--port"]'],
  ];
  for (const [expected, reported] of cases) assert.deepEqual(differencesOf(pod, expected), [reported]);
});
