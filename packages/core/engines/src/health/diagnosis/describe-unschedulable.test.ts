import assert from "node:assert/strict";
import { test } from "node:test";
import type { Shortage } from "@trivium/domain";
import { describeUnschedulable, explainScheduling, lackingResources } from "./describe-unschedulable.ts";

const hopeless = (all: number) =>
  `no new claims to deallocate, preemption: 0/${all} nodes are available: ${all} Preemption is not helpful for scheduling.`;
const noVictims = (all: number) =>
  `preemption: 0/${all} nodes are available: ${all} No preemption victims found for incoming pod.`;
const space = "free some, add a node, or request less";

test("what nodes lack, the scheduler's words in short, and the way out", () => {
  const rows: readonly (readonly [string, string])[] = [
    [
      `0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, ${noVictims(1)}`,
      `No node has enough free cpu (0/1 nodes are available: 1 Insufficient cpu); ${space}`,
    ],
    [
      "0/3 nodes are available: 2 Insufficient cpu, 3 Insufficient memory.",
      `No node has enough free cpu and memory (0/3 nodes are available: 2 Insufficient cpu, 3 Insufficient memory); ${space}`,
    ],
    [
      `0/1 nodes are available: 1 Insufficient memory. ${hopeless(1)}`,
      "No node has enough memory (0/1 nodes are available: 1 Insufficient memory); add a larger node, or request less",
    ],
    [
      `0/2 nodes are available: 2 Insufficient nvidia.com/gpu. ${hopeless(2)}`,
      "No node has enough nvidia.com/gpu (0/2 nodes are available: 2 Insufficient nvidia.com/gpu); " +
        "add a larger node, or request fewer",
    ],
    [
      `0/2 nodes are available: 2 Insufficient nvidia.com/gpu. ${noVictims(2)}`,
      `No node has enough free nvidia.com/gpu (0/2 nodes are available: 2 Insufficient nvidia.com/gpu); free some, add a node, or request fewer`,
    ],
    ["no nodes available to schedule pods", "The cluster has no nodes; add a node"],
  ];
  for (const [message, described] of rows) assert.equal(describeUnschedulable(message), described);
});

test("what no node has at all is said before anything else that is missing", () => {
  const message = `0/1 nodes are available: 1 Insufficient cpu, 1 Insufficient nvidia.com/gpu. ${hopeless(1)}`;
  const shortages = [
    { resource: "cpu", requested: 8000, offered: 4000 },
    { resource: "nvidia.com/gpu", requested: 2, offered: 0 },
  ];
  assert.match(
    describeUnschedulable(message, { shortages }),
    /^No node provides nvidia.com\/gpu: it needs 2 nvidia.com\/gpu \(.*\); add a node that provides it, or do not request it$/,
  );
});

test("what a pod needs is said with what nodes offer", () => {
  const Gi = 1024 ** 3;
  const memory = { resource: "memory", requested: 900 * Gi, offered: 21.2 * Gi };
  const cpu = { resource: "cpu", requested: 64_000, offered: 3_500 };
  const gpu = { resource: "nvidia.com/gpu", requested: 8, offered: 4 };
  const rows: readonly (readonly [Shortage[], string, string])[] = [
    [[memory], hopeless(1), "memory: it needs 900Gi of memory, and the largest node offers 21.2Gi"],
    [[memory], noVictims(1), "free memory: it needs 900Gi of memory, and the largest node offers 21.2Gi in total"],
    [[gpu], hopeless(1), "nvidia.com/gpu: it needs 8 nvidia.com/gpu, and the largest node offers 4"],
    [
      [cpu, memory],
      hopeless(1),
      "cpu and memory: it needs 64 cpu and 900Gi of memory, and nodes offer at most 3500m cpu and 21.2Gi of memory",
    ],
    [
      [{ ...memory, requested: 21 * Gi + 1, offered: 21 * Gi }],
      hopeless(1),
      `memory: it needs ${21 * Gi + 1} of memory, and the largest node offers ${21 * Gi}`,
    ],
    [[{ ...memory, requested: 0 }], hopeless(1), "memory"],
  ];
  for (const [shortages, end, expected] of rows) {
    const lacking = shortages.map(({ resource }) => `1 Insufficient ${resource}`).join(", ");
    const { cause } = explainScheduling(`0/1 nodes are available: ${lacking}. ${end}`, { shortages });
    assert.equal(cause, `no node has enough ${expected} (0/1 nodes are available: ${lacking})`);
  }
});

test("what keeps nodes away is named, each with its own way out", () => {
  const rows: readonly (readonly [string, RegExp])[] = [
    [
      "node(s) didn't match Pod's node affinity/selector",
      /does not match the nodeSelector or node affinity of the pod .*; label a node/,
    ],
    ["node(s) had untolerated taint {gpu: only, x: y}", /has a taint .*x: y.*; add the toleration/],
    ["node(s) had untolerated taint(s)", /has a taint/],
    ["node(s) were unschedulable", /is cordoned .*kubectl uncordon/],
    ["node(s) didn't match pod anti-affinity rules", /pod affinity or anti-affinity .*; relax/],
    ["node(s) didn't satisfy existing pods anti-affinity rules", /pod affinity or anti-affinity/],
    ["node(s) didn't match pod topology spread constraints (missing required label)", /topologySpreadConstraints/],
    ["node(s) didn't have free ports for the requested pod ports", /host port in use .*; free the port/],
    ["Too many pods", /maximum number of pods .*; delete pods/],
  ];
  for (const [reason, described] of rows) {
    const message = describeUnschedulable(`0/1 nodes are available: 1 ${reason}. ${hopeless(1)}`);
    assert.match(message, described);
    assert.match(message, /^No node is suitable: 1 of 1 nodes /);
    assert.ok(!/preemption|claims/i.test(message), message);
  }
});

test("several obstacles are counted, and every way out is named once", () => {
  const message = describeUnschedulable(
    "0/4 nodes are available: 1 Insufficient cpu, 2 node(s) had untolerated taint {a: }, 1 node(s) had untolerated taint {b: }. preemption: 0/4",
  );
  assert.match(
    message,
    /^No node is suitable: 1 of 4 nodes has insufficient cpu, 2 have a taint that the pod does not tolerate, 1 has a taint/,
  );
  assert.equal(message.split("add the toleration").length, 2);
  assert.ok(message.endsWith(space), message);
});

test("words that nobody knows stay, without what was tried in vain", () => {
  const general = "add a suitable node, or change the requirements of the pod";
  const rows: readonly (readonly [string, string])[] = [
    ["", `No node is available; ${general}`],
    ["0/1 nodes are available", `0/1 nodes are available; ${general}`],
    ["0/1 nodes are available: 1 of a new kind.", `0/1 nodes are available: 1 of a new kind; ${general}`],
    [`0/1 nodes are available: x. ${hopeless(1)}`, `0/1 nodes are available: x; ${general}`],
    ["skip schedule deleting pod", `Skip schedule deleting pod; ${general}`],
  ];
  for (const [message, described] of rows) assert.equal(describeUnschedulable(message), described);
});

test("the part of a spec that the remedy is about is a field of the answer", () => {
  const aspectOf = (reason: string, shortages?: Shortage[]) =>
    explainScheduling(`0/1 nodes are available: 1 ${reason}. ${hopeless(1)}`, { shortages }).aspect;
  assert.equal(aspectOf("node(s) didn't match Pod's node affinity/selector"), "scheduling");
  assert.equal(aspectOf("node(s) had untolerated taint {a: b}"), "scheduling");
  assert.equal(aspectOf("node(s) didn't match pod anti-affinity rules"), "scheduling");
  assert.equal(aspectOf("Insufficient cpu"), undefined);
  assert.equal(aspectOf("node(s) were unschedulable"), undefined);
  assert.equal(
    aspectOf("Insufficient example.com/gpu", [{ resource: "example.com/gpu", requested: 1, offered: 0 }]),
    undefined,
  );
});

test("the resources that nodes lack are data", () => {
  const rows: readonly (readonly [string, string[]])[] = [
    ["0/3 nodes are available: 1 Insufficient memory, 2 Insufficient nvidia.com/gpu.", ["memory", "nvidia.com/gpu"]],
    [`0/1 nodes are available: 1 Insufficient cpu. ${hopeless(1)}`, ["cpu"]],
    ["0/2 nodes are available: 2 node(s) were unschedulable. preemption: 0/2 nodes: 2 Insufficient x", []],
    ["", []],
  ];
  for (const [message, expected] of rows) assert.deepEqual(lackingResources(message), expected, message);
});
