import assert from "node:assert/strict";
import { test } from "node:test";
import { answer, defineQuery } from "@trivium/reconcile";
import { countAnswers } from "./gate.ts";

const size = defineQuery<{ readonly uri: string }, number>("size", { ttl: 1_000 });

test("a question that no reconciler has any more leaves nothing unknown", async () => {
  const slow = answer(
    size,
    (_, { signal }) =>
      new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("connection lost")))),
  );
  const asked = countAnswers([slow as never], 20_000);
  const ending = new AbortController();
  const call = asked.answers[0]?.answer({ uri: "hf://org/repo" }, { signal: ending.signal });
  ending.abort();
  await assert.rejects(call ?? Promise.resolve(), /connection lost/);
  assert.deepEqual([asked.unanswered.size, asked.given.size, asked.pending()], [0, 0, 0]);
});

test("a question without an answer is unknown, with the reason", async () => {
  const asked = countAnswers([answer(size, () => Promise.reject(new Error("no such host"))) as never], 20_000);
  const call = asked.answers[0]?.answer({ uri: "hf://org/repo" }, { signal: new AbortController().signal });
  await assert.rejects(call ?? Promise.resolve(), /no such host/);
  assert.deepEqual([...asked.unanswered], [["hf://org/repo", "no such host"]]);
});
