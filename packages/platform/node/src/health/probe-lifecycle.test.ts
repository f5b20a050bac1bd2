import assert from "node:assert/strict";
import { test } from "node:test";
import type { api } from "@trivium/kube";
import { FakeClock } from "@trivium/testkit";
import type { CheckResult } from "./check-target.ts";
import { ProbeLifecycle } from "./probe-lifecycle.ts";

const answers: Readonly<Record<string, CheckResult>> = {
  y: { is: "healthy" },
  n: { is: "unhealthy", message: "no" },
  w: { is: "warning", message: "hm" },
  e: { is: "errored", message: "what?" },
};

/** One letter an answer; what is told, with the second it was told in. */
async function lifecycleOf(probe: api.Probe, answered: string, pace: "steady" | "eager" = "steady"): Promise<string[]> {
  const clock = new FakeClock(0);
  const reported: string[] = [];
  let asked = 0;
  const tell = (what: string) => void reported.push(`${clock.now() / 1000} ${what}`);
  const lifecycle = new ProbeLifecycle({
    clock,
    probe,
    since: 0,
    pace,
    check: async () => answers[answered[asked++] ?? "y"] as CheckResult,
    onError: ({ is }) => tell(is),
    onOutcome: (isHealthy) => tell(isHealthy ? "good" : "bad"),
  });
  while (asked < answered.length) await clock.advance(500);
  lifecycle.stop();
  assert.equal(clock.untilNext(), undefined, "it stops when told to");
  return reported;
}

test("verdicts need as many answers in a row as the thresholds say", async () => {
  const probe = { periodSeconds: 2, failureThreshold: 2, successThreshold: 2 };
  assert.deepEqual(await lifecycleOf(probe, "ynnyy"), ["2 unhealthy", "4 unhealthy", "4 bad", "8 good"]);
});

test("a kubelet's defaults: every ten seconds, three failures, one success", async () => {
  assert.deepEqual(await lifecycleOf({}, "ynnn"), ["0 good", "10 unhealthy", "20 unhealthy", "30 unhealthy", "30 bad"]);
});

test("an initial delay is kept, a warning is a success, and what could not be asked counts for nothing", async () => {
  const probe = { initialDelaySeconds: 5, periodSeconds: 1, failureThreshold: 2 };
  const reported = ["5 unhealthy", "6 errored", "7 unhealthy", "7 bad", "8 warning", "8 good"];
  assert.deepEqual(await lifecycleOf(probe, "nenw"), reported);
});

test("an eager one sees the first good answer between two that count, and no bad one counts more for it", async () => {
  const probe = { periodSeconds: 10, failureThreshold: 2 };
  assert.deepEqual(await lifecycleOf(probe, "nnny", "eager"), ["0 unhealthy", "0.1995 good"]);
  const never = await lifecycleOf(probe, "n".repeat(40), "eager");
  assert.deepEqual(never.slice(0, 3), ["0 unhealthy", "10 unhealthy", "10 bad"]);
});

test("an eager one that has seen a good answer keeps to its period", async () => {
  const reported = await lifecycleOf({ periodSeconds: 2, failureThreshold: 1 }, "nynn", "eager");
  assert.deepEqual(reported, [
    "0 unhealthy",
    "0 bad",
    "0.05 good",
    "2.05 unhealthy",
    "2.05 bad",
    "4.05 unhealthy",
    "4.05 bad",
  ]);
});
