import assert from "node:assert/strict";
import { test } from "node:test";
import { WeightsError } from "../../fault.ts";
import { Patience } from "./patience.ts";

const refused = () => new WeightsError("unreachable", "Unreachable", "hub.example refused");
const { signal } = new AbortController();

/** The words with which it gives up. */
async function lastLogLine(patience: Patience): Promise<string> {
  for (;;) {
    const error = await patience.afterFailure(refused(), performance.now(), signal).catch((one: Error) => one);
    if (error !== undefined) return error.message;
  }
}

test("who gives up after several failures says how many, and that something is kept only where something has arrived", async () => {
  const rule = (attempts: number) => ({ attempts, firstDelayMs: 0, maxDelayMs: 0 });
  assert.equal(await lastLogLine(new Patience(rule(1))), "hub.example refused");
  assert.equal(await lastLogLine(new Patience(rule(3))), "hub.example refused; gave up after 3 failures in a row");
  const begun = new Patience(rule(1));
  begun.progressed(10);
  const kept = "hub.example refused; completed parts are kept for the next attempt";
  assert.equal(await lastLogLine(begun), kept);
});
