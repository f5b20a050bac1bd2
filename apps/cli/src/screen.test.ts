import assert from "node:assert/strict";
import { test } from "node:test";
import { openScreen } from "./screen.ts";

function printed(isTTY: boolean, environment: NodeJS.ProcessEnv = {}): string {
  let text = "";
  const screen = openScreen({ write: (piece) => (text += piece), isTTY, columns: 20 }, environment);
  screen.state("one");
  screen.state("one");
  screen.state("a state that is longer than the line");
  screen.line(screen.dim("end"));
  return text;
}

test("a pipe gets plain lines, each state once", () => {
  assert.equal(printed(false), "one\na state that is longer than the line\nend\n");
});

test("a terminal gets one line that is rewritten, and colours unless they are not wanted", () => {
  assert.equal(printed(true), "\r\x1b[Kone\r\x1b[Ka state that is lon\n\x1b[2mend\x1b[0m\n");
  assert.ok(printed(true, { NO_COLOR: "1" }).endsWith("\nend\n"));
});
