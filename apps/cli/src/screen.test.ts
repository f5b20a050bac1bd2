import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
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

test("a dumb terminal gets plain lines", () => {
  assert.equal(printed(true, { TERM: "dumb" }), "one\na state that is longer than the line\nend\n");
});

test("a state is drawn again for another width, and what was wrapped is cleared", () => {
  let text = "";
  const out = Object.assign(new EventEmitter(), {
    write: (piece: string) => (text += piece),
    isTTY: true,
    columns: 30,
  });
  const screen = openScreen(out, {});
  screen.state((columns) => "=".repeat(columns - 1));
  assert.equal(text, `\r\x1b[K${"=".repeat(29)}`);
  text = "";
  out.columns = 10;
  out.emit("resize");
  assert.equal(text, `\r\x1b[2A\x1b[J${"=".repeat(9)}`);
  text = "";
  out.columns = 20;
  out.emit("resize");
  assert.equal(text, `\r\x1b[K${"=".repeat(19)}`);
  screen.done();
  text = "";
  out.emit("resize");
  assert.equal(text, "");
});
