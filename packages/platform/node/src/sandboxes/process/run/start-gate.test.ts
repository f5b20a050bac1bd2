import assert from "node:assert/strict";
import { test } from "node:test";
import { StartGate } from "./start-gate.ts";

test("closing waits for what is beginning, also where that fails", async () => {
  const gate = new StartGate();
  const [first, second] = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
  const passed = [gate.pass(() => first.promise), gate.pass(() => second.promise)];
  const settled = Promise.allSettled(passed);
  let isClosed = false;
  const closing = gate.close().then(() => {
    isClosed = true;
  });
  first.resolve("runs");
  await passed[0];
  assert.equal(isClosed, false);
  second.reject(new Error("broken"));
  await closing;
  assert.deepEqual(
    (await settled).map(({ status }) => status),
    ["fulfilled", "rejected"],
  );
});

test("nothing begins once it is closed", async () => {
  const gate = new StartGate();
  await gate.close();
  assert.equal(await gate.pass(() => assert.fail("it began")), undefined);
});
