import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { triggeredAt, triggersOf } from "./lazy-grammar.ts";

describe("a lazy grammar", () => {
  it("begins with the first word that triggers it", () => {
    const triggers = [
      { type: 1, value: "<tool_call>" },
      { type: 1, value: "[TOOL" },
    ];
    assert.equal(triggeredAt(triggers, "Well. "), undefined);
    assert.equal(triggeredAt(triggers, "Well. [TOOL then <tool_call>"), 6);
  });

  it("begins at the first group of a pattern", () => {
    assert.equal(triggeredAt([{ type: 2, value: "\\s+(\\{)" }], 'So  {"a"'), 4);
    assert.equal(triggeredAt([{ type: 3, value: "(?:x)y" }], "axy"), 1);
  });

  it("never begins for a pattern that cannot be read", () => {
    assert.equal(triggeredAt([{ type: 2, value: "(((" }], "((("), undefined);
  });

  it("reads only triggers that are some", () => {
    assert.deepEqual(triggersOf([{ type: 1, value: "a" }, null, 5, { type: 1 }]), [{ type: 1, value: "a" }]);
    assert.deepEqual(triggersOf("a"), []);
  });
});
