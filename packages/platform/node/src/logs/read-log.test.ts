import assert from "node:assert/strict";
import { test } from "node:test";
import { LogRun } from "./log-run.ts";
import { type LogOptions, readLog } from "./read-log.ts";

const request: LogOptions = { follow: false, timestamps: false };

function runOf(lines: readonly string[], limit?: number): LogRun {
  let now = 0;
  const run = new LogRun("staged://1", () => now, limit);
  for (const line of lines) {
    now += 1_000;
    run.write(line);
  }
  return run;
}

async function textOf(run: LogRun, wanted: Partial<LogOptions>, now = 10_000): Promise<string> {
  let text = "";
  for await (const piece of readLog(run, { ...request, ...wanted }, now)) text += piece;
  return text;
}

test("tail, since, limit and timestamps pick the part that is asked for", async () => {
  const run = runOf(["one", "two", "three", "vier ✓"]);
  const cases: [Partial<LogOptions>, string][] = [
    [{}, "one\ntwo\nthree\nvier ✓\n"],
    [{ tailLines: 2 }, "three\nvier ✓\n"],
    [{ tailLines: 0 }, ""],
    [{ tailLines: 99 }, "one\ntwo\nthree\nvier ✓\n"],
    [{ sinceSeconds: 7 }, "three\nvier ✓\n"],
    [{ sinceSeconds: 7, tailLines: 1 }, "vier ✓\n"],
    [{ sinceTime: "1970-01-01T00:00:04Z" }, "vier ✓\n"],
    [{ limitBytes: 5 }, "one\nt"],
    [{ tailLines: 1, limitBytes: 6 }, "vier "],
    [{ tailLines: 1, timestamps: true }, "1970-01-01T00:00:04.000000000Z vier ✓\n"],
  ];
  for (const [wanted, text] of cases) assert.equal(await textOf(run, wanted), text, JSON.stringify(wanted));
});

test("a followed log goes on until the container ends, and stops when the reader goes", async () => {
  const run = runOf(["one"]);
  const followed = textOf(run, { follow: true });
  run.write("two\nthree\n");
  await Promise.resolve();
  run.write("four");
  run.end();
  assert.equal(await followed, "one\ntwo\nthree\nfour\n");

  const gone = new AbortController();
  const other = runOf(["one"]);
  const left = textOf(other, { follow: true, signal: gone.signal });
  await new Promise((resolve) => setImmediate(resolve));
  gone.abort();
  assert.equal(await left, "one\n");
});

test("what is kept is bounded, a slow reader skips what was dropped, and the newest lines stay", async () => {
  const run = new LogRun("staged://1", () => 0, 100);
  const reader = readLog(run, { ...request, follow: true }, 0);
  run.write("first");
  assert.equal((await reader.next()).value, "first\n");
  for (let i = 0; i < 1_000; i += 1) run.write(`line ${i}`);
  run.write("x".repeat(1_000));
  assert.ok(run.next - run.first < 20, "only the newest lines are kept");
  run.end();
  let rest = "";
  for await (const piece of reader) rest += piece;
  assert.ok(rest.endsWith("x\n") && rest.length <= 250, `${rest.length} characters`);
});
