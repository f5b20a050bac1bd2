import assert from "node:assert/strict";
import { it } from "node:test";
import { ThinkingBudget } from "./thinking-budget.ts";

it("ends reasoning once, after as many tokens as it has", () => {
  const budget = new ThinkingBudget(2, "<think>", "</think>");
  const texts = ["a", "a<think>", "a<think>b", "a<think>bc", "a<think>bcd"];
  assert.deepEqual(
    texts.map((text) => budget.isUp(text)),
    [false, false, false, true, false],
  );
});

it("leaves reasoning alone that has ended", () => {
  const budget = new ThinkingBudget(0, "<think>", "</think>");
  assert.equal(budget.isUp("<think>a</think>b"), false);
  assert.equal(budget.isUp("<think>a</think>b<think>"), true);
});
