import assert from "node:assert/strict";
import { test } from "node:test";
import { parseInput } from "./input.ts";

test("lines are messages, commands or parts of a block", () => {
  assert.deepEqual(parseInput("  hello ", undefined), { is: "message", text: "hello" });
  assert.deepEqual(parseInput("   ", undefined), { is: "empty" });
  for (const word of ["/bye", "/exit", "/quit"]) assert.deepEqual(parseInput(word, undefined), { is: "bye" });
  assert.deepEqual(parseInput("/system be brief", undefined), {
    is: "command",
    command: { is: "system", text: "be brief" },
  });
  assert.deepEqual(parseInput("/system", undefined), { is: "command", command: { is: "unknown", word: "/system" } });
});

test("a block takes lines as they are until its end", () => {
  assert.deepEqual(parseInput('"""one line"""', undefined), { is: "message", text: "one line" });
  const open = parseInput('"""first', undefined);
  assert.deepEqual(open, { is: "open", lines: ["first"] });
  assert.deepEqual(parseInput("/bye", ["first"]), { is: "open", lines: ["first", "/bye"] });
  assert.deepEqual(parseInput('last"""', ["first", "  second"]), { is: "message", text: "first\n  second\nlast" });
  assert.deepEqual(parseInput('"""', []), { is: "empty" });
});
