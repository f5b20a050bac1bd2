import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { AttemptReport, PreparationIntent, Prepared, TaskReport, VolumeReport } from "@trivium/domain";
import { prepare } from "./prepare.ts";

const now = Date.parse("2026-01-01T00:00:00Z") as AttemptReport["now"];
const fault = (reason: string) => ({ reason, message: `${reason}; correct it` });
const task = (state: TaskReport["state"], more: Partial<TaskReport> = {}): TaskReport => ({
  by: "Job j",
  state,
  ...(state === "failed" ? { fault: fault("Failed") } : {}),
  ...more,
});
const attempts = (more: Partial<AttemptReport> = {}): AttemptReport => ({
  attempt: 1,
  allowed: 5,
  isChanged: false,
  now,
  ...more,
});
const volume = (more: Partial<VolumeReport> = {}): VolumeReport => ({
  claim: "weights",
  owner: "operator",
  phase: "Bound",
  reasons: { missing: "Missing", lost: "Lost", unbound: "Unbound" },
  ...more,
});
const intent = (more: Partial<PreparationIntent> = {}): PreparationIntent => ({
  transfers: { reports: [], need: "any", otherwise: { is: "started" } },
  paths: { source: "spec.source" },
  ...more,
});
const transfers = (reports: readonly TaskReport[], more: Partial<PreparationIntent["transfers"]> = {}) => ({
  transfers: { reports, need: "any", otherwise: { is: "started" }, ...more } as const,
});

/** `blocked at volume: Lost`. */
function shortOf(prepared: Prepared): string {
  if (prepared.is === "ready") return `ready by ${prepared.by.join(", ") || "nobody"}`;
  if (prepared.is === "unresolved") return prepared.is;
  const next = prepared.is === "preparing" && prepared.next !== undefined ? `, attempt ${prepared.next.attempt}` : "";
  const wait = prepared.is === "preparing" && prepared.retryIn !== undefined ? ` in ${prepared.retryIn}` : "";
  return `${prepared.is} at ${prepared.step}${prepared.fault === undefined ? "" : `: ${prepared.fault.reason}`}${next}${wait}`;
}

describe("the first step that is not done decides", () => {
  const rows: readonly [string, Partial<PreparationIntent>, string][] = [
    ["nothing runs yet", {}, "preparing at transfer"],
    ["pods download", transfers([], { otherwise: { is: "deferred" } }), "ready by nobody"],
    [
      "nodes are awaited",
      transfers([], { otherwise: { is: "awaited", fault: fault("WaitingForNodes") } }),
      "preparing at transfer: WaitingForNodes",
    ],
    [
      "a wrong request",
      { fault: fault("InvalidSource"), ...transfers([task("done")]) },
      "blocked at request: InvalidSource",
    ],
    ["a wrong request for weights that are held", { fault: fault("InvalidSource"), isHeld: true }, "ready by nobody"],
    ["a source that refuses", { source: { ...fault("NotFound"), isFinal: true } }, "blocked at source: NotFound"],
    [
      "a source that may answer pods",
      { source: { ...fault("Private"), isFinal: false } },
      "preparing at source: Private",
    ],
    [
      "a source that refuses the operator and answers a pod",
      { source: { ...fault("NotFound"), isFinal: true }, ...transfers([task("running")]) },
      "preparing at transfer",
    ],
    [
      "a claim of the user that is missing",
      { volume: volume({ owner: "user", phase: "missing" }) },
      "blocked at volume: Missing",
    ],
    ["a claim of the operator that is missing", { volume: volume({ phase: "missing" }) }, "preparing at volume"],
    [
      "a lost volume, although it was complete",
      { isHeld: true, volume: volume({ phase: "Lost" }) },
      "blocked at volume: Lost",
    ],
    ["a claim that is deleted while in use", { volume: volume({ isLeaving: true }) }, "preparing at volume: Unbound"],
    ["no volume yet", { volume: volume({ phase: "Pending" }) }, "preparing at volume"],
    ["no volume before a pod", { volume: volume({ phase: "Pending", waitsForPod: true }) }, "preparing at transfer"],
    [
      "a user's claim without a class",
      { volume: volume({ owner: "user", phase: "Pending", fault: "no class" }) },
      "blocked at volume: Unbound",
    ],
    [
      "an operator's claim without a class",
      { volume: volume({ phase: "Pending", fault: "no class" }) },
      "preparing at volume: Unbound",
    ],
    [
      "a budget that is used up",
      { volume: volume({ phase: "missing", space: { is: "refused", fault: fault("Quota") } }) },
      "blocked at space: Quota",
    ],
    [
      "a claim that is too small",
      { attempts: attempts(), volume: volume({ space: { is: "replaced", fault: fault("Small") } }) },
      "preparing at volume: Small, attempt 2",
    ],
    [
      "an unknown size, before the volume",
      { inspection: { ...task("running"), of: "source" }, volume: volume({ phase: "missing" }) },
      "preparing at inspection",
    ],
    [
      "unknown contents, after the volume",
      { inspection: { ...task("running"), of: "volume" }, volume: volume({ phase: "Pending" }) },
      "preparing at volume",
    ],
    [
      "contents that cannot be read",
      { inspection: { ...task("failed", { isFinal: true }), of: "volume" }, volume: volume() },
      "blocked at inspection: Failed",
    ],
    [
      "contents that are known",
      {
        inspection: { ...task("done"), of: "volume" },
        volume: volume(),
        ...transfers([], { otherwise: { is: "deferred" } }),
      },
      "ready by nobody",
    ],
  ];
  for (const [name, more, expected] of rows) test(name, () => assert.equal(shortOf(prepare(intent(more))), expected));
});

describe("transfers", () => {
  const a = { by: "Node a" };
  const rows: readonly [string, readonly TaskReport[], "any" | "all", string][] = [
    ["one that is done is enough", [task("failed", { isFinal: true }), task("done", a)], "any", "ready by Node a"],
    ["all have to be done", [task("waiting"), task("done", a)], "all", "preparing at transfer"],
    ["all are done", [task("done"), task("done", a)], "all", "ready by Job j, Node a"],
    [
      "one that will fail again",
      [task("failed", { isFinal: true }), task("running", a)],
      "any",
      "blocked at transfer: Failed",
    ],
    ["one that others retry", [task("failed")], "any", "preparing at transfer: Failed"],
    ["another one still runs", [task("failed"), task("running", a)], "any", "preparing at transfer"],
    [
      "one that cannot start",
      [task("waiting", { fault: fault("Unschedulable") })],
      "any",
      "preparing at transfer: Unschedulable",
    ],
  ];
  for (const [name, reports, need, expected] of rows)
    test(name, () => assert.equal(shortOf(prepare(intent(transfers(reports, { need })))), expected));

  test("what runs is handed on with its progress", () => {
    const running = task("running", { progress: { bytesDone: 5 } });
    assert.deepEqual(prepare(intent(transfers([running]))), {
      is: "preparing",
      step: "transfer",
      running: [running],
      fault: undefined,
    });
  });
});

describe("attempts of the operator", () => {
  const minute = 60_000;
  const ended = (ago: number, more: Partial<TaskReport> = {}) =>
    task("failed", { endedAt: (now - ago) as typeof now, ...more });
  const rows: readonly [string, TaskReport, Partial<AttemptReport>, string][] = [
    ["waits a minute", ended(0), {}, "preparing at transfer: Failed in 60000"],
    ["retries after it", ended(minute), {}, "preparing at transfer, attempt 2"],
    ["waits twice as long the next time", ended(minute), { attempt: 2 }, "preparing at transfer: Failed in 60000"],
    ["gives up after five", ended(99 * minute), { attempt: 5 }, "blocked at transfer: Failed"],
    ["does not retry what fails again", ended(99 * minute, { isFinal: true }), {}, "blocked at transfer: Failed"],
    [
      "starts over with a new spec",
      ended(0, { isFinal: true }),
      { attempt: 5, isChanged: true },
      "preparing at transfer, attempt 6",
    ],
    [
      "does not count what was stopped",
      ended(5_000, { isStopped: true }),
      { attempt: 5 },
      "preparing at transfer, attempt 6",
    ],
    ["waits until a stop is over", ended(0, { isStopped: true }), {}, "preparing at transfer: Failed in 5000"],
    ["retries what ended unseen", task("failed"), {}, "preparing at transfer, attempt 2"],
  ];
  for (const [name, report, more, expected] of rows)
    test(name, () =>
      assert.equal(shortOf(prepare(intent({ ...transfers([report]), attempts: attempts(more) }))), expected),
    );
});
