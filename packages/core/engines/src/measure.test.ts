import assert from "node:assert/strict";
import { test } from "node:test";
import type { JobPlan, Measured, MeasurementIntent, ObservedPod, RunObserved, RunSummary } from "@trivium/domain";
import { measure } from "./measure.ts";

const job: JobPlan = { name: "load", labels: {}, retries: 0, pod: { labels: {}, spec: { containers: [] } } };
const paths = { image: "spec.image", memory: "spec.memory" };
const intent = (more: Partial<MeasurementIntent>): MeasurementIntent => ({
  isOver: false,
  request: { is: "runnable", job },
  paths,
  ...more,
});
const pod = (phase: string, containers: ObservedPod["containers"] = []): ObservedPod => ({
  name: "load-1",
  phase,
  template: "",
  isReady: false,
  isLeaving: false,
  containers,
});
const summary = (answered: number, more: Partial<RunSummary> = {}): RunSummary => ({ requests: 9, answered, ...more });
const run = (more: Partial<RunObserved> = {}): Partial<MeasurementIntent> => ({ run: { pods: [], ...more } });
const ended = (how: "complete" | "failed", more: Partial<RunObserved> = {}) =>
  run({ ended: { how, message: how === "failed" ? "BackoffLimitExceeded" : "" }, ...more });

const target = { reason: "NotReady", message: "InferenceService chat is not ready" };
const rows: readonly [string, Partial<MeasurementIntent>, Partial<Measured>][] = [
  ["a request is planned", {}, { is: "planned", job }],
  [
    "a wrong request",
    { request: { is: "faulty", message: "spec.task: unknown" } },
    { is: "blocked", message: "spec.task: unknown" },
  ],
  ["a target that is not ready", { request: { is: "waiting", ...target } }, { is: "waiting", target }],
  ["a result that was reported stands", { isOver: true }, { is: "over" }],
  ["a run decides alone", { ...run(), request: { is: "faulty", message: "x" } }, { is: "underway", isRunning: false }],
  ["a pod that no node takes does not run", run({ pods: [pod("Pending")] }), { is: "underway", isRunning: false }],
  ["a pod that runs", run({ pods: [pod("Running")] }), { is: "underway", isRunning: true }],
  ["a result", ended("complete", { summary: summary(9) }), { is: "completed", summary: summary(9) }],
  ["a result without a summary", ended("complete"), { is: "completed", summary: undefined }],
  [
    "requests that all failed are not a result",
    ended("complete", { summary: summary(0) }),
    { is: "failed", message: "No request succeeded", summary: summary(0) },
  ],
  [
    "the load generator reports the cause",
    ended("failed", { summary: summary(0, { failure: "401 Unauthorized" }) }),
    { is: "failed", message: "BackoffLimitExceeded: 401 Unauthorized" } as Partial<Measured>,
  ],
  ["a Job without a cause", ended("failed"), { is: "failed", message: "BackoffLimitExceeded", summary: undefined }],
];
for (const [name, more, expected] of rows)
  test(name, () => {
    const measured = measure(intent(more)) as unknown as Record<string, unknown>;
    const shown = Object.fromEntries(Object.keys(expected).map((key) => [key, measured[key]]));
    assert.deepEqual(shown, expected);
  });

test("what keeps a pod from running has a cause and a remedy", () => {
  const refused = { kind: "refused", pod: "", message: "exceeded quota: pods" } as const;
  const measured = measure(intent(run({ refused })));
  assert.equal(measured.is, "underway");
  assert.match(
    measured.is === "underway" ? (measured.trouble?.message ?? "") : "",
    /ResourceQuota pods is exceeded; raise /,
  );
});

test("of a log only its end is passed on", () => {
  const state = { is: "ended", exitCode: 1, reason: "Error", message: `--api-key secret ${"x".repeat(400)}` } as const;
  const container = {
    name: "bench",
    role: "serves",
    state,
    restarts: 0,
  } as unknown as ObservedPod["containers"][number];
  const measured = measure(intent(ended("failed", { pods: [pod("Failed", [container])] })));
  assert.doesNotMatch(JSON.stringify(measured), /secret/);
});
