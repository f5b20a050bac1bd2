import assert from "node:assert/strict";
import { test } from "node:test";
import type { ServingPod } from "@trivium/domain";
import { known, pending, unreachable } from "@trivium/std";
import { reportHealth, standInRemark } from "./report-health.ts";

const pod = (name: string, rest: Partial<ServingPod> = {}): ServingPod => ({
  name,
  phase: "Running",
  isReady: true,
  isLeaving: false,
  template: "new",
  containers: [],
  listed: known(["m"]),
  ...rest,
});
const report = (pods: readonly ServingPod[], wasServing = false) =>
  reportHealth({ desired: 2, template: "new", pods, wasServing });

test("ready are pods of the newest template that list a model", () => {
  const health = report([
    pod("a"),
    pod("b", { template: "old" }),
    pod("c", { isReady: false }),
    pod("d", { isLeaving: true }),
  ]);
  assert.deepEqual(health, { desired: 2, total: 3, ready: 1, answering: 2 });
});

test("a server that lists nothing, or has not been heard, is not ready and is named", () => {
  assert.deepEqual(report([pod("a", { listed: known([]) })]).unlisted, {
    pod: "a",
    why: "its server lists no model at /v1/models",
  });
  assert.equal(report([pod("a", { listed: pending })]).ready, 0);
  assert.match(report([pod("a", { listed: unreachable("refused") })]).unlisted?.why ?? "", /refused/);
});

test("the cause is of pods of the newest template; older ones count only where nothing else is in the way", () => {
  const lacks = (name: string, template: string, message: string) =>
    pod(name, { isReady: false, template, unschedulable: `0/1 nodes are available: 1 Insufficient ${message}.` });
  const [old, newest] = [lacks("a", "old", "memory"), lacks("b", "new", "cpu")];
  assert.equal(report([old, newest]).failure?.pod, "b");
  assert.equal(report([old]).failure?.pod, "a", "its controller may wait for it");
  assert.equal(report([old, pod("b", { isReady: false })]).failure, undefined, "the newest needs time only");
  const refused = reportHealth({ desired: 1, template: "new", pods: [old], wasServing: false, refused: "no quota" });
  assert.equal(refused.failure?.kind, "refused");
  const unmarked = reportHealth({ desired: 1, template: "", pods: [old], wasServing: false, refused: "no quota" });
  assert.equal(unmarked.failure?.pod, "a");
});

test("what was found to serve is not taken back because an answer is late, but because of the answer", () => {
  for (const listed of [pending, unreachable("late")]) assert.equal(report([pod("a", { listed })], true).ready, 1);
  assert.equal(report([pod("a", { listed: known([]) })], true).ready, 0);
});

test("servers that list no models by nature are taken at their readiness", () => {
  const { listed: _, ...silent } = pod("a");
  assert.equal(report([silent]).ready, 1);
});

test("a pod whose server another one stands in for is told", () => {
  const health = report([pod("a", { standIn: "vLLM" })]);
  assert.equal(health.standIn, "vLLM");
  assert.equal(standInRemark(health), "; served by llama.cpp, because vLLM is not installed on this machine");
  assert.equal(standInRemark(report([pod("a")])), "");
});
