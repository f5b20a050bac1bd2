import assert from "node:assert/strict";
import { test } from "node:test";
import { silentLog } from "@trivium/runtime";
import { FakeClock } from "@trivium/testkit";
import { ClusterFault, untilPossible } from "./cluster-fault.ts";
import { StartState } from "./start-state.ts";

function openState() {
  const warnings: string[] = [];
  const state = new StartState({ ...silentLog, warn: (_, message) => warnings.push(message) });
  return { state, warnings };
}

test("a step is repeated with growing pauses until the cluster lets it succeed; each cause is logged once", async () => {
  const { state, warnings } = openState();
  const clock = new FakeClock();
  const times: number[] = [];
  const faults = ["away", "away", "away", "forbidden", "away"];
  const step = async (): Promise<string> => {
    times.push(clock.elapsed());
    const fault = faults.shift();
    if (fault !== undefined) throw new ClusterFault(fault);
    return "done";
  };
  const result = untilPossible(step, { state, clock, signal: new AbortController().signal });
  await clock.advance(0);
  assert.equal(state.pending, "away");
  await clock.advance(60_000);
  assert.equal(await result, "done");
  assert.deepEqual(warnings, ["away; retrying automatically", "forbidden; retrying automatically"]);
  const pauses = times.slice(1).map((time, at) => time - (times[at] as number));
  assert.deepEqual(
    pauses.map((pause) => 2 ** Math.round(Math.log2(pause / 500))),
    [1, 2, 4, 8, 16],
  );
  assert.equal(state.pending, "caches are not synced yet");
  state.finish();
  assert.equal(state.pending, undefined);
});

test("what waiting cannot change is thrown, and a stop ends the waiting", async () => {
  const { state } = openState();
  const clock = new FakeClock();
  const stopping = new AbortController();
  const fault = new TypeError("x is not a function");
  const patience = { state, clock, signal: stopping.signal };
  await assert.rejects(
    untilPossible(() => Promise.reject(fault), patience),
    fault,
  );
  const waiting = untilPossible(() => Promise.reject(new ClusterFault("away")), patience);
  stopping.abort(new Error("stopped"));
  await assert.rejects(waiting, /stopped/);
});
