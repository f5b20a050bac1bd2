import assert from "node:assert/strict";
import { test } from "node:test";
import { describeUnread } from "./namespace-scope.ts";

test("what an operator of one namespace does not read is named, with the option that moves it", () => {
  const homes = [
    { name: "ome", holds: "ConfigMaps of OME", option: "--ome-namespace" },
    { name: "team-a", holds: "Jobs", option: "--operator-namespace" },
  ];
  assert.deepEqual(describeUnread("team-a", homes), [
    "ConfigMaps of OME are in namespace ome, and only namespace team-a is read, so they have no effect; start the operator with --ome-namespace team-a",
  ]);
  assert.deepEqual(describeUnread(undefined, homes), []);
});
