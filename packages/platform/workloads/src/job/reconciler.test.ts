import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Job, Pod } from "@trivium/kube";
import { violationsOf } from "@trivium/testkit";
import fc from "fast-check";
import { formatIndexes, parseIndexes } from "./index-set.ts";
import { job, pod } from "./job.fixture.ts";
import { jobReconciler, type ObservedJob } from "./reconciler.ts";

const minute = Date.UTC(2026, 0, 1, 0, 1, 0);
const see = (...pods: Pod[]): ObservedJob => ({ pods: { own: pods, orphans: [] } });

/** What is decided, in a few words. */
function reported(object: Job, observed: ObservedJob, now = minute) {
  const decision = jobReconciler.decide(object, observed, now);
  if (decision.do === "release") throw new Error("a job is never released");
  const { conditions = [], uncountedTerminatedPods: lists, ...counters } = decision.status;
  const children = decision.do === "hold" ? [] : decision.children;
  return {
    made: children.filter(({ createOnly }) => createOnly).length,
    kept: children.filter(({ keep }) => keep).map(({ object: kept }) => kept.metadata.name),
    released:
      decision.do === "hold"
        ? []
        : (decision.patches ?? []).flatMap((patch) => ("ref" in patch ? [patch.ref.name] : [])),
    conditions: conditions.map(({ type, reason }) => `${type} ${reason}`),
    lists,
    counters,
    recheckIn: decision.recheckIn,
  };
}

describe("a pod is counted once, in three steps", () => {
  const ended = pod("a", { phase: "Succeeded" });
  test("written down", () => {
    const { lists, released, conditions } = reported(job(), see(ended));
    assert.deepEqual(
      [lists, released, conditions],
      [{ succeeded: ["uid-a"] }, [], ["SuccessCriteriaMet CompletionsReached"]],
    );
  });
  test("let go, once that can be read", () => {
    const { lists, released } = reported(job({}, { uncountedTerminatedPods: { succeeded: ["uid-a"] } }), see(ended));
    assert.deepEqual([lists, released], [{ succeeded: ["uid-a"] }, ["a"]]);
  });
  test("counted, once it is let go: also when it is gone by then", () => {
    const written = job({}, { uncountedTerminatedPods: { succeeded: ["uid-a"] } });
    for (const observed of [see(pod("a", { phase: "Succeeded", isCounted: true })), see()]) {
      const { lists, counters, conditions } = reported(written, observed);
      assert.deepEqual([lists, counters.succeeded], [{}, 1]);
      assert.deepEqual(conditions, ["SuccessCriteriaMet CompletionsReached", "Complete CompletionsReached"]);
    }
  });
});

describe("what is made and when", () => {
  const cases: [string, Job, ObservedJob, number, number | undefined][] = [
    ["as many as may run at a time", job({ parallelism: 2, completions: 5 }), see(), 2, undefined],
    ["no more than are missing", job({ parallelism: 5, completions: 3 }, { succeeded: 2 }), see(), 1, undefined],
    ["none while it is suspended", job({ suspend: true }), see(), 0, undefined],
    ["none too soon after a failure", job(), see(pod("a", { phase: "Failed", endedAt: 55 })), 0, 5_000],
    ["one, when the wait is over", job(), see(pod("a", { phase: "Failed", endedAt: 50 })), 1, undefined],
    [
      "none at the second failure yet",
      job(),
      see(pod("a", { phase: "Failed", endedAt: 1 }), pod("b", { phase: "Failed", endedAt: 45 })),
      0,
      5_000,
    ],
    [
      "none for one that is ending, when its end is awaited",
      job({ podReplacementPolicy: "Failed" }),
      see(pod("a", { metadata: { deletionTimestamp: "2026-01-01T00:00:59Z" } })),
      0,
      undefined,
    ],
    ["until the deadline", job({ activeDeadlineSeconds: 90 }), see(pod("a")), 0, 30_000],
  ];
  for (const [name, object, observed, made, recheckIn] of cases) {
    test(name, () => {
      const found = reported(object, observed);
      assert.deepEqual([found.made, found.recheckIn], [made, recheckIn]);
    });
  }
});

test("indexes are written as ranges and read again", () => {
  assert.equal(formatIndexes([7, 1, 3, 4, 5, 9, 8]), "1,3-5,7-9");
  assert.equal(formatIndexes([0, 1, 3]), "0,1,3");
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(50)), (indexes) => {
      const again = [...parseIndexes(formatIndexes(indexes), 51)];
      assert.deepEqual(
        again,
        indexes.toSorted((a, b) => a - b),
      );
    }),
  );
  assert.deepEqual([...parseIndexes("0-9,x,12", 3)], [0, 1, 2]);
});

test("the laws", () => {
  const indexed = { completionMode: "Indexed", completions: 3, parallelism: 2 } as const;
  const now = minute;
  const cases = [
    { name: "fresh", object: job({ parallelism: 2, completions: 2 }), observed: see(), now },
    {
      name: "running",
      object: job({ parallelism: 2, completions: 2 }, { active: 2, ready: 0, terminating: 0 }),
      observed: see(pod("a"), pod("b")),
      now,
    },
    { name: "waiting", object: job(), observed: see(pod("a", { phase: "Failed", endedAt: 55 })), now },
    {
      name: "indexed",
      object: job(indexed),
      observed: see(pod("a", { index: 0 }), pod("b", { index: 1, phase: "Succeeded" })),
      now,
    },
    { name: "elsewhere", object: job({ managedBy: "example.com/x" }), observed: see(), now },
  ];
  const reasons = ["CompletionsReached"];
  const conditions = { SuccessCriteriaMet: reasons, Complete: reasons };
  assert.deepEqual(violationsOf(jobReconciler, cases, { conditions, notes: ["Completed"] }), []);
});
