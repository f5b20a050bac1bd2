import assert from "node:assert/strict";
import { test } from "node:test";
import type { KubeObject } from "@trivium/kube";
import { Observations } from "./observations.ts";

const objectOf = (name: string, version: number, status?: object): KubeObject => ({
  apiVersion: "v1",
  kind: "Example",
  metadata: { name, resourceVersion: String(version) },
  ...(status === undefined ? {} : { status }),
});

const observed = { color: "blue" };
const decision = { do: "converge", children: [], status: {} } as const;
const pass = { observed, decision, reads: new Map(), compared: [] };
const recalls = () => undefined;
const again = { observed, now: 1, recalls, observe: () => observed };

test("a status that comes back after thousands of other passes is still known as the object's own", () => {
  const observations = new Observations();
  const names = Array.from({ length: 3000 }, (_, at) => `one-${at}`);
  for (const name of names) {
    observations.begin(name);
    observations.settle(name, objectOf(name, 1), pass, { now: 0, written: "2" });
  }
  const decided = names.filter((name) => {
    const object = objectOf(name, 2, { phase: "Ready" });
    return observations.unchanged(name, { ...again, object }) === undefined;
  });
  assert.deepEqual(decided, []);
});

test("a change by another writer is decided, also while the own status has not come back", () => {
  const observations = new Observations();
  observations.begin("one");
  observations.settle("one", objectOf("one", 1), pass, { now: 0, written: "2" });
  assert.equal(observations.unchanged("one", { ...again, object: objectOf("one", 3) }), undefined);
  const relabelled = { ...objectOf("one", 2), metadata: { resourceVersion: "2", labels: { team: "a" } } };
  assert.equal(observations.unchanged("one", { ...again, object: relabelled }), undefined);
  assert.notEqual(observations.unchanged("one", { ...again, object: objectOf("one", 2, {}) }), undefined);
});

test("what is observed otherwise is decided, before and after the own status has come back", () => {
  const observations = new Observations();
  const [before, after] = [objectOf("one", 1), objectOf("one", 2, {})];
  observations.begin("one");
  observations.settle("one", before, pass, { now: 0, written: "2" });
  const red = { observed: { color: "red" }, observe: () => ({ color: "red" }) };
  assert.equal(observations.unchanged("one", { ...again, ...red, object: before }), undefined);
  assert.notEqual(observations.unchanged("one", { ...again, object: after }), undefined);
  assert.equal(observations.unchanged("one", { ...again, ...red, object: after }), undefined);
  observations.forget("one");
  assert.equal(observations.unchanged("one", { ...again, object: after }), undefined);
});
