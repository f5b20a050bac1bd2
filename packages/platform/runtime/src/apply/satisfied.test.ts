import assert from "node:assert/strict";
import { test } from "node:test";
import { contains, ownsOnly } from "./satisfied.ts";

test("contains: everything wanted is there; what else is there does not matter", () => {
  const live = { a: 1, b: { c: [{ d: 1, e: 2 }] }, f: "x", data: { cpu: "1" }, requests: { cpu: "1", memory: "1Gi" } };
  const yes: unknown[] = [
    {},
    { a: 1 },
    { b: { c: [{ d: 1 }] } },
    { g: undefined },
    ...[null, {}, [], "", 0, false].map((g) => ({ g })),
    { requests: { cpu: "1000m" } },
    { requests: { cpu: 1, memory: "1024Mi" } },
  ];
  const no: unknown[] = [
    { a: 2 },
    { a: "1" },
    { b: { c: [] } },
    { b: { c: [{ d: 1 }, {}] } },
    { a: null },
    { f: ["x"] },
    { f: "" },
    { g: { h: 1 } },
    { data: { cpu: "1000m" } },
    { requests: { cpu: "1001m" } },
    { requests: { gpu: "0" } },
  ];
  for (const wanted of yes) assert.equal(contains(live, wanted), true, JSON.stringify(wanted));
  for (const wanted of no) assert.equal(contains(live, wanted), false, JSON.stringify(wanted));
});

test("ownsOnly: a field of ours that is no longer wanted must be taken back", () => {
  const fields = {
    "f:metadata": { "f:labels": { ".": {}, "f:app": {} } },
    "f:spec": {
      "f:containers": { 'k:{"name":"x"}': { ".": {}, "f:image": {} } },
      "f:ports": { 'k:{"port":80,"protocol":"TCP"}': { ".": {}, "f:port": {} } },
      "f:set": { 'v:"one"': {} },
    },
  };
  const wanted = {
    metadata: { labels: { app: "a" } },
    spec: { containers: [{ name: "x", image: "i" }], ports: [{ port: 80 }], set: ["one", "two"] },
  };
  assert.equal(ownsOnly(fields, wanted), true, "a key that a default filled in is no difference");
  assert.equal(ownsOnly(fields, { ...wanted, metadata: {} }), false);
  assert.equal(
    ownsOnly(fields, { ...wanted, spec: { ...wanted.spec, containers: [{ name: "y", image: "i" }] } }),
    false,
  );
  assert.equal(ownsOnly(fields, { ...wanted, spec: { ...wanted.spec, containers: [{ name: "x" }] } }), false);
  assert.equal(ownsOnly(fields, { ...wanted, spec: { ...wanted.spec, set: ["two"] } }), false);
});
