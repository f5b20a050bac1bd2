import assert from "node:assert/strict";
import { test } from "node:test";
import { printable, printableWithColours } from "./print.ts";
import { openScreen } from "./screen.ts";

const hostile = "a\x1b]52;c;cm0=\x07\x1b[2J\r\x9b31m\u202eb\x00\x7f";

test("nothing that a terminal obeys is left of a text", () => {
  assert.equal(printable(hostile), "a\\u001b]52;c;cm0=\\u0007\\u001b[2J\\u000d\\u009b31m\\u202eb\\u0000\\u007f");
  assert.equal(printable("one\n\ttwo — ü 模型 🙂\n"), "one\n\ttwo — ü 模型 🙂\n");
});

test("JSON keeps its values", () => {
  assert.deepEqual(JSON.parse(printable(JSON.stringify({ hostile }))), { hostile });
});

test("colours of a log stay, and nothing else", () => {
  assert.equal(printableWithColours("\x1b[1;31mred\x1b[0m\x1b[2J"), "\x1b[1;31mred\x1b[0m\\u001b[2J");
});

test("a screen shows lines and states of others without obeying them", () => {
  let text = "";
  const screen = openScreen({ write: (piece) => (text += piece), isTTY: true, columns: 80 }, {});
  screen.line(screen.dim(`x${hostile}`));
  screen.state("\x1b[2Jstate");
  assert.equal(text, `\x1b[2mx${printable(hostile)}\x1b[0m\n\r\x1b[K\\u001b[2Jstate`);
});
